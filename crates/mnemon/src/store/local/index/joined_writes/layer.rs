//! The layer between SQLite and its own file system: only the log goes through our hands.

#![expect(
    unsafe_code,
    reason = "SQLite's file systems are tables of C functions, and its files lie where it says"
)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use rusqlite::ffi::{
    SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_OK, SQLITE_OPEN_WAL, sqlite3_file, sqlite3_filename,
    sqlite3_int64, sqlite3_io_methods, sqlite3_vfs, sqlite3_vfs_find, sqlite3_vfs_register,
};

/// What the layer is called among SQLite's file systems.
const NAME: &CStr = c"mnemon-joined-writes";

/// From this version on a file system has all the functions that are known here.
const VERSION_MIN: c_int = 3;

/// Where SQLite's own file begins, behind ours, with room for any alignment.
const OWN_BYTES: usize = size_of::<sqlite3_file>().next_multiple_of(16);

/// SQLite's own file system looks at no more than the lowest 17 bits of a length.
const CALL_BYTES_MAX: usize = 64 << 10;

/// SQLite's own file system.
static OWN: AtomicPtr<sqlite3_vfs> = AtomicPtr::new(ptr::null_mut());

/// What can be done with a log. No more than these are asked of it.
static LOG: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// The name of the layer, known to SQLite from now on; none if it can't be.
pub(in crate::store::local::index) fn layer() -> Option<&'static CStr> {
    static IS_KNOWN: LazyLock<bool> = LazyLock::new(register);
    IS_KNOWN.then_some(NAME)
}

fn register() -> bool {
    // SAFETY: SQLite sets itself up when it is first asked, and a file system that it gives stays
    // for good. Its link to the next one, which SQLite may change meanwhile, is not looked at.
    unsafe {
        let Ok(more) = c_int::try_from(OWN_BYTES) else {
            return false;
        };
        let own = sqlite3_vfs_find(ptr::null());
        if own.is_null() || !is_of_sqlite((*own).iVersion, (*own).zName) {
            return false;
        }
        OWN.store(own, Ordering::Release);
        // Its other functions don't look at which file system they are called for.
        let layer = Box::leak(Box::new(sqlite3_vfs {
            szOsFile: (*own).szOsFile + more,
            pNext: ptr::null_mut(),
            zName: NAME.as_ptr(),
            xOpen: Some(open),
            ..*own
        }));
        sqlite3_vfs_register(layer, 0) == SQLITE_OK
    }
}

/// Whether it is one of those that come with SQLite. Another one, which a program made the usual
/// one, may expect to be called with its own data, or to see each page on its own.
///
/// # Safety
///
/// The name ends with a zero.
unsafe fn is_of_sqlite(version: c_int, name: *const c_char) -> bool {
    if version < VERSION_MIN || name.is_null() {
        return false;
    }
    // SAFETY: as above.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    name == b"unix" || name == b"win32"
}

/// SQLite's own file, behind ours.
///
/// # Safety
///
/// The file has as many bytes as the layer asked for.
unsafe fn own(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: these bytes belong to the file.
    unsafe { file.byte_add(OWN_BYTES) }
}

/// Calls a function of SQLite's own file; the code of an error if there is none.
macro_rules! own {
    ($function:ident($file:expr $(, $argument:expr)*)) => {{
        // SAFETY: SQLite hands over only files that `open` made, which have an open file behind
        // them, and arguments as its own functions want them.
        unsafe {
            let file = own($file);
            match (*file).pMethods.as_ref().and_then(|known| known.$function) {
                Some(function) => function(file $(, $argument)*),
                None => SQLITE_IOERR,
            }
        }
    }};
}

unsafe extern "C" fn open(
    _layer: *mut sqlite3_vfs,
    name: sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    let system = OWN.load(Ordering::Acquire);
    // SAFETY: it was put there before SQLite knew the layer, and stays for good.
    let Some(open) = (unsafe { (*system).xOpen }) else {
        return SQLITE_CANTOPEN;
    };
    if flags & SQLITE_OPEN_WAL == 0 {
        // SAFETY: SQLite's own arguments. It has more bytes than it needs.
        return unsafe { open(system, name, file, flags, flags_out) };
    }
    // SAFETY: SQLite gives a file as many bytes as the layer asked for: ours, and behind them
    // as many as its own file system asked for. What is not open has no functions, and what
    // has some is closed by them.
    unsafe {
        let behind = own(file);
        (*file).pMethods = ptr::null();
        (*behind).pMethods = ptr::null();
        let code = open(system, name, behind, flags, flags_out);
        if !(*behind).pMethods.is_null() {
            (*file).pMethods = &raw const LOG;
        }
        code
    }
}

/// Writes bytes to SQLite's own file.
fn put(file: *mut sqlite3_file) -> impl FnMut(&[u8], u64) -> Result<(), c_int> {
    move |bytes, mut offset| {
        for bytes in bytes.chunks(CALL_BYTES_MAX) {
            let (Ok(length), Ok(at)) = (c_int::try_from(bytes.len()), i64::try_from(offset)) else {
                return Err(SQLITE_IOERR);
            };
            match own!(xWrite(file, bytes.as_ptr().cast(), length, at)) {
                SQLITE_OK => offset += bytes.len() as u64,
                code => return Err(code),
            }
        }
        Ok(())
    }
}

/// What was gathered must be in the file first.
fn settle(file: *mut sqlite3_file) -> c_int {
    code(super::settle(file.addr(), put(file)))
}

fn code(done: Result<(), c_int>) -> c_int {
    done.err().unwrap_or(SQLITE_OK)
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    bytes: *const c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    let (Ok(length), Ok(offset)) = (usize::try_from(length), u64::try_from(offset)) else {
        return SQLITE_IOERR;
    };
    // SAFETY: SQLite gives as many bytes as it says, and waits for us.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) };
    code(super::take(file.addr(), bytes, offset, put(file)))
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    bytes: *mut c_void,
    length: c_int,
    offset: sqlite3_int64,
) -> c_int {
    match settle(file) {
        SQLITE_OK => own!(xRead(file, bytes, length, offset)),
        code => code,
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: sqlite3_int64) -> c_int {
    match settle(file) {
        SQLITE_OK => own!(xTruncate(file, size)),
        code => code,
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    match settle(file) {
        SQLITE_OK => own!(xSync(file, flags)),
        code => code,
    }
}

unsafe extern "C" fn size(file: *mut sqlite3_file, size: *mut sqlite3_int64) -> c_int {
    match settle(file) {
        SQLITE_OK => own!(xFileSize(file, size)),
        code => code,
    }
}

unsafe extern "C" fn control(file: *mut sqlite3_file, what: c_int, with: *mut c_void) -> c_int {
    own!(xFileControl(file, what, with))
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    own!(xClose(file))
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    own!(xLock(file, level))
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    own!(xUnlock(file, level))
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, is_held: *mut c_int) -> c_int {
    own!(xCheckReservedLock(file, is_held))
}

unsafe extern "C" fn sector_size(file: *mut sqlite3_file) -> c_int {
    own!(xSectorSize(file))
}

unsafe extern "C" fn characteristics(file: *mut sqlite3_file) -> c_int {
    own!(xDeviceCharacteristics(file))
}
