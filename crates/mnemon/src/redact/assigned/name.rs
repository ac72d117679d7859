//! Which names announce a secret.

/// What a name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Family {
    kind: Kind,
    /// Whether the name stands in a sentence rather than in a setting, so that
    /// the value must look like one.
    pub(super) loose: bool,
    /// Whether the sentence says what it is, and how plainly.
    pub(super) told: Told,
}

/// How plainly a sentence says what a password is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// It does not: `password 'x'`.
    Not,
    /// `the password is x`.
    Is,
    /// `my password is x`.
    Whose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Anything may be a password.
    Password,
    /// `pwd`, which is also the name of the working folder.
    ShortPassword,
    /// Keys and tokens, which no one makes up.
    Secret,
}

/// How names of passwords end, without signs between their words.
const PASSWORDS: [&str; 16] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "contraseña",
    "senha",
    "wachtwoord",
    "hasło",
    "lösenord",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
];

/// How names of other secrets end.
const SECRETS: [&str; 18] = [
    "apikey",
    "secretkey",
    "secretkeybase",
    "accesskey",
    "accountkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "authkey",
    "sharedkey",
    "secret",
    "token",
    "credential",
    "credentials",
    "webhooksecret",
    "xamzsignature",
    "sig",
];

/// The last two letters of all of these and of the short ones: most words end otherwise.
const ENDS: [[u8; 2]; 15] = [
    *b"rd", *b"wd", *b"se", *b"de", *b"rt", *b"ha", *b"ss", *b"pw", *b"ey", *b"et", *b"en", *b"al",
    *b"ls", *b"re", *b"ig",
];

impl Family {
    /// What a name announces, if anything.
    pub(super) fn of(name: &str) -> Option<Self> {
        if !may_announce(name) {
            return None;
        }
        let plain: String = name
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect();
        // A test may pass, too.
        let loose = plain == "pass";
        let is_short = ["pwd", "dbpass", "storepass", "keypass"];
        let kind = if loose || plain == "pw" || is_short.iter().any(|end| plain.ends_with(end)) {
            Kind::ShortPassword
        } else if plain == "passe" || is_password(&plain) {
            Kind::Password
        } else if is_secret(&plain) {
            Kind::Secret
        } else {
            return None;
        };
        let told = Told::Not;
        Some(Self { kind, loose, told })
    }

    /// What `-p` announces behind the name of a program.
    pub(super) fn of_short_option(program: &str) -> Option<Self> {
        (program == "sshpass").then_some(Self {
            kind: Kind::Password,
            loose: false,
            told: Told::Not,
        })
    }

    /// The same name in a sentence.
    pub(super) fn in_a_sentence(self) -> Self {
        Self {
            loose: true,
            ..self
        }
    }

    /// The same name in a sentence that says what it is.
    pub(super) fn told(self, told: Told) -> Self {
        let told = match self.kind {
            Kind::Password | Kind::ShortPassword => told,
            Kind::Secret => Told::Not,
        };
        Self {
            told,
            ..self.in_a_sentence()
        }
    }

    /// The class of what it announces.
    pub(super) fn class(self) -> &'static str {
        match self.kind {
            Kind::Password | Kind::ShortPassword => "password",
            Kind::Secret => "secret",
        }
    }

    /// Whether any value will do, however plain it looks.
    pub(super) fn takes_plain_words(self) -> bool {
        !self.loose && self.kind != Kind::Secret
    }

    /// Whether a path may be meant instead.
    pub(super) fn may_be_a_path(self) -> bool {
        self.kind != Kind::Password
    }
}

/// Whether it is worth the trouble to look at a name.
fn may_announce(name: &str) -> bool {
    let mut letters = name
        .bytes()
        .rev()
        .filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let (Some(last), before) = (letters.next(), letters.next()) else {
        return false;
    };
    let Some(before) = before else { return false };
    // The other letters of these names are looked at one by one.
    if !last.is_ascii() || !before.is_ascii() {
        return true;
    }
    ENDS.contains(&[before.to_ascii_lowercase(), last.to_ascii_lowercase()])
}

fn is_password(plain: &str) -> bool {
    PASSWORDS.iter().any(|end| plain.ends_with(end))
}

fn is_secret(plain: &str) -> bool {
    match plain {
        // One word of three letters says too little within another.
        _ if plain.ends_with("sig") => plain == "sig",
        _ => SECRETS.iter().any(|end| plain.ends_with(end)),
    }
}
