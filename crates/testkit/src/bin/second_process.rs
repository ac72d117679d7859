//! A second process for tests: does to a store what stdin says.

fn main() -> std::io::Result<()> {
    mnemon_testkit::script::remote::serve(std::io::stdin().lock(), std::io::stdout().lock())
}
