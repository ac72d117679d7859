//! Pairs of texts that say the same, and pairs that only look like it.

/// One is as good as the other.
pub(crate) const SAME: [(&str, &str); 34] = [
    (
        "We use PostgreSQL for the ledger.",
        "we use PostgreSQL for the ledger",
    ),
    (
        "The ledger is kept in PostgreSQL.",
        "PostgreSQL keeps the ledger.",
    ),
    (
        "SQL injection in the login form",
        "The login form has an SQL injection",
    ),
    (
        "The login form is vulnerable to SQL injection",
        "SQL injection vulnerability in the login form",
    ),
    (
        "No rate limit on the password reset endpoint",
        "The password reset endpoint has no rate limit.",
    ),
    (
        "Passwords are logged in plain text by the auth service",
        "The auth service logs passwords in plain text",
    ),
    ("Prefer tabs over spaces", "prefer tabs over spaces."),
    (
        "Always run the formatter before committing",
        "Run the formatter always before committing",
    ),
    (
        "The build takes 12 minutes on CI",
        "On CI the build takes 12 minutes",
    ),
    (
        "Memory leak in the websocket handler",
        "The websocket handler leaks memory",
    ),
    (
        "User prefers short answers",
        "The user prefers short answers.",
    ),
    (
        "Deploys happen on Tuesdays and Thursdays",
        "We deploy on Tuesdays and Thursdays",
    ),
    (
        "The cache is never invalidated after a price change",
        "After a price change the cache is never invalidated",
    ),
    (
        "Missing index on orders.customer_id",
        "orders.customer_id has a missing index",
    ),
    (
        "Retry failed payments three times with backoff",
        "Failed payments are retried three times with backoff",
    ),
    (
        "The parser crashes on empty input",
        "Parser crashes on an empty input",
    ),
    (
        "API keys must be rotated every 90 days",
        "Rotate API keys every 90 days",
    ),
    (
        "Flaky test: checkout_total fails at midnight UTC",
        "checkout_total is a flaky test that fails at midnight UTC",
    ),
    (
        "Use snake_case for column names",
        "Column names use snake_case",
    ),
    (
        "The search page is slow because of an N+1 query",
        "N+1 query makes the search page slow",
    ),
    (
        "Ada owns the billing service",
        "The billing service is owned by Ada",
    ),
    (
        "Error messages should name the next step",
        "An error message should name the next step.",
    ),
    (
        "Sessions expire after 30 minutes of inactivity",
        "A session expires after 30 minutes of inactivity",
    ),
    (
        "The docs are out of date for the export command",
        "Docs for the export command are out of date",
    ),
    (
        "Log levels are configured through LOG_LEVEL",
        "LOG_LEVEL configures the log levels",
    ),
    (
        "Unvalidated redirect in the OAuth callback",
        "The OAuth callback has an unvalidated redirect",
    ),
    (
        "We chose Rust for its memory safety",
        "Rust was chosen for memory safety",
    ),
    (
        "Customers want dark mode in the dashboard",
        "Dashboard: customers want dark mode",
    ),
    (
        "The nightly backup job silently fails when the disk is full",
        "When the disk is full the nightly backup job fails silently",
    ),
    (
        "Accessibility: buttons lack labels on the settings page",
        "Buttons on the settings page lack accessibility labels",
    ),
    (
        "Feature flags are stored in Redis",
        "feature flags are stored in redis",
    ),
    (
        "Race condition in the inventory counter",
        "The inventory counter has a race condition",
    ),
    (
        "Keep pull requests under 400 lines",
        "Pull requests should be kept under 400 lines",
    ),
    ("Never store card numbers", "Do not store card numbers"),
];

/// One is not the other, however alike they look.
pub(crate) const DIFFERENT: [(&str, &str); 36] = [
    (
        "Sessions expire after 30 minutes",
        "Sessions expire after 60 minutes",
    ),
    (
        "Use tabs for indentation",
        "Do not use tabs for indentation",
    ),
    ("Prefer Redis over Memcached", "Prefer Memcached over Redis"),
    ("Enable the query cache", "Disable the query cache"),
    (
        "SQL injection in the login form",
        "SQL injection in the search form",
    ),
    (
        "The parser crashes on empty input",
        "The parser crashes on very long input",
    ),
    (
        "Ada owns the billing service",
        "Grace owns the billing service",
    ),
    (
        "Migrate from MySQL to PostgreSQL",
        "Migrate from PostgreSQL to MySQL",
    ),
    ("Deploy on Tuesdays", "Deploy on Fridays"),
    ("The build is green on main", "The build is red on main"),
    (
        "Port 8080 is used by the API",
        "Port 9090 is used by the API",
    ),
    ("Call validate before save", "Call save before validate"),
    (
        "Memory leak in the websocket handler",
        "Memory leak in the image handler",
    ),
    (
        "We use PostgreSQL for the ledger",
        "We use PostgreSQL for the queue",
    ),
    ("Increase the pool size", "Decrease the pool size"),
    ("The user likes Python", "The user likes Rust"),
    (
        "Missing index on orders.customer_id",
        "Missing index on orders.created_at",
    ),
    (
        "Version 2.3 breaks the importer",
        "Version 2.4 breaks the importer",
    ),
    ("Tests pass on Linux", "Tests fail on Linux"),
    ("Customers want dark mode", "Customers want light mode"),
    (
        "The service calls the gateway",
        "The gateway calls the service",
    ),
    ("Backups are encrypted", "Backups are not encrypted"),
    ("Retry payments three times", "Retry e-mails three times"),
    ("Use JSON for the API", "Use JSON for the log files"),
    (
        "Open the firewall for port 443",
        "Close the firewall for port 443",
    ),
    (
        "The export is slow for large accounts",
        "The import is slow for large accounts",
    ),
    ("Alice reviewed the design", "Alice wrote the design"),
    ("Cache user profiles", "Cache user permissions"),
    (
        "Add a column to the users table",
        "Remove a column from the users table",
    ),
    (
        "Always ask before deleting files",
        "Never ask before deleting files",
    ),
    (
        "The first page loads quickly",
        "The last page loads quickly",
    ),
    (
        "Logs are kept for 7 days in staging",
        "Logs are kept for 7 days in production",
    ),
    (
        "The mobile app needs an offline mode",
        "The desktop app needs an offline mode",
    ),
    ("XSS in the comment field", "XSS in the profile name"),
    ("Grace prefers long answers", "Grace prefers short answers"),
    (
        "Write the tests after the code",
        "Write the tests before the code",
    ),
];

/// Written after the rule was made, and looked at only to see how well it does.
pub(crate) const HELD_OUT_SAME: [(&str, &str); 14] = [
    (
        "The staging database is reset every night",
        "Every night the staging database is reset",
    ),
    (
        "CORS is misconfigured on the public API",
        "Misconfigured CORS on the public API",
    ),
    (
        "Use feature branches for risky changes",
        "For risky changes, use feature branches",
    ),
    (
        "Uploads larger than 10 MB time out",
        "Uploads time out when larger than 10 MB",
    ),
    (
        "The invoice PDF shows the wrong currency",
        "Wrong currency shown on the invoice PDF",
    ),
    (
        "Marta is on leave until March",
        "Until March Marta is on leave.",
    ),
    (
        "Integration tests need Docker",
        "Docker is needed for the integration tests",
    ),
    (
        "The admin panel has no audit log",
        "No audit log in the admin panel",
    ),
    (
        "Prefer composition over inheritance",
        "prefer composition over inheritance!",
    ),
    (
        "Customer emails are sent twice",
        "Emails to the customer are sent twice",
    ),
    (
        "The queue worker restarts in a loop",
        "Queue workers are restarting in a loop",
    ),
    ("Dates are stored in UTC", "All dates are stored in UTC"),
    (
        "The checkout button is hidden on small screens",
        "On small screens the checkout button is hidden",
    ),
    (
        "We decided to drop support for Python 3.8",
        "Support for Python 3.8 was dropped, as we decided",
    ),
];

/// See there.
pub(crate) const HELD_OUT_DIFFERENT: [(&str, &str); 14] = [
    (
        "The staging database is reset every night",
        "The staging database is reset every week",
    ),
    (
        "CORS is misconfigured on the public API",
        "TLS is misconfigured on the public API",
    ),
    (
        "Uploads larger than 10 MB time out",
        "Downloads larger than 10 MB time out",
    ),
    (
        "Marta is on leave until March",
        "Marta is on leave until April",
    ),
    ("Marta reviews Jonas's code", "Jonas reviews Marta's code"),
    ("Dates are stored in UTC", "Dates are shown in UTC"),
    ("Integration tests need Docker", "Unit tests need Docker"),
    (
        "The admin panel has no audit log",
        "The admin panel has an audit log",
    ),
    (
        "Ship the beta before the conference",
        "Ship the beta after the conference",
    ),
    (
        "Support for Python 3.8 was dropped",
        "Support for Python 3.9 was dropped",
    ),
    (
        "The iOS app crashes on start",
        "The Android app crashes on start",
    ),
    (
        "Turn the heater on at night",
        "Turn the heater off at night",
    ),
    (
        "The invoice PDF shows the wrong currency",
        "The invoice PDF shows the wrong address",
    ),
    ("Emails are sent twice", "Emails are sent once"),
];
