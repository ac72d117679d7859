//! The table of well-known keys: facts that their makers publish.

/// A form of key.
pub(super) struct Known {
    /// How it begins.
    pub(super) prefix: &'static str,
    /// What follows.
    pub(super) letters: Letters,
    /// The fewest letters that follow.
    pub(super) least: usize,
    /// The most.
    pub(super) most: usize,
    /// Whether one of them must be a digit.
    pub(super) needs_digit: bool,
    /// What it is called.
    pub(super) class: &'static str,
}

/// Which letters a key is made of.
#[derive(Clone, Copy)]
pub(super) enum Letters {
    /// Capital letters and digits.
    Capitals,
    /// Digits and a to f.
    Hex,
    /// Letters and digits.
    Plain,
    /// Those of base64 in addresses: also - and _.
    Url,
    /// Those, and full stops.
    Dotted,
    /// Whatever a token in an address may have: also / and %.
    Path,
}

impl Letters {
    /// How many sorts there are.
    pub(super) const SORTS: usize = 6;

    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Plain => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || b"-_".contains(&byte),
            Self::Dotted => byte.is_ascii_alphanumeric() || b"-_.".contains(&byte),
            Self::Path => byte.is_ascii_alphanumeric() || b"-_./%".contains(&byte),
        }
    }
}

/// Longer than any key in use; what is longer is something else.
const MOST: usize = 1024;

const fn key(class: &'static str, prefix: &'static str, letters: Letters, least: usize) -> Known {
    Known {
        prefix,
        letters,
        least,
        most: MOST,
        needs_digit: false,
        class,
    }
}

/// A key of exactly this length.
const fn exact(class: &'static str, prefix: &'static str, letters: Letters, count: usize) -> Known {
    Known {
        most: count,
        ..key(class, prefix, letters, count)
    }
}

/// A key whose prefix is also that of ordinary words.
const fn wordy(class: &'static str, prefix: &'static str, letters: Letters, least: usize) -> Known {
    Known {
        needs_digit: true,
        ..key(class, prefix, letters, least)
    }
}

const API_KEY: &str = "api_key";
const AWS: &str = "aws_key";
const GITHUB: &str = "github_token";
const GITLAB: &str = "gitlab_token";
const GOOGLE: &str = "google_key";
const MNEMON: &str = "mnemon_token";
const SLACK: &str = "slack_token";
const STRIPE: &str = "stripe_key";

/// Every form, the longer of two prefixes first.
pub(super) static KEYS: &[Known] = &[
    exact(AWS, "AKIA", Letters::Capitals, 16),
    exact(AWS, "ASIA", Letters::Capitals, 16),
    exact(AWS, "ABIA", Letters::Capitals, 16),
    exact(AWS, "ACCA", Letters::Capitals, 16),
    exact(AWS, "AROA", Letters::Capitals, 17),
    key(AWS, "ABSK", Letters::Plain, 100),
    key(MNEMON, "mnm_", Letters::Url, 40),
    key(GITHUB, "github_pat_", Letters::Url, 36),
    key(GITHUB, "ghp_", Letters::Url, 30),
    key(GITHUB, "gho_", Letters::Url, 30),
    key(GITHUB, "ghu_", Letters::Url, 30),
    key(GITHUB, "ghs_", Letters::Dotted, 30),
    key(GITHUB, "ghr_", Letters::Url, 30),
    key(GITLAB, "glpat-", Letters::Dotted, 20),
    key(GITLAB, "gldt-", Letters::Dotted, 20),
    key(GITLAB, "glrt-", Letters::Dotted, 20),
    key(GITLAB, "glcbt-", Letters::Dotted, 20),
    key(GITLAB, "glptt-", Letters::Dotted, 20),
    key(GITLAB, "glft-", Letters::Dotted, 20),
    key(GITLAB, "glsoat-", Letters::Dotted, 20),
    key(GITLAB, "glimt-", Letters::Dotted, 20),
    key(GITLAB, "glagent-", Letters::Dotted, 20),
    key(GITLAB, "gloas-", Letters::Dotted, 20),
    key(SLACK, "xoxb-", Letters::Url, 10),
    key(SLACK, "xoxp-", Letters::Url, 10),
    key(SLACK, "xoxa-", Letters::Url, 10),
    key(SLACK, "xoxr-", Letters::Url, 10),
    key(SLACK, "xoxs-", Letters::Url, 10),
    key(SLACK, "xoxc-", Letters::Url, 10),
    key(SLACK, "xoxd-", Letters::Path, 10),
    key(SLACK, "xoxe.", Letters::Dotted, 10),
    key(SLACK, "xoxe-", Letters::Dotted, 10),
    wordy(SLACK, "xapp-", Letters::Url, 20),
    key(SLACK, "hooks.slack.com/services/", Letters::Path, 20),
    key(STRIPE, "sk_live_", Letters::Plain, 16),
    key(STRIPE, "sk_test_", Letters::Plain, 16),
    key(STRIPE, "rk_live_", Letters::Plain, 16),
    key(STRIPE, "rk_test_", Letters::Plain, 16),
    key(STRIPE, "whsec_", Letters::Plain, 16),
    key("anthropic_key", "sk-ant-", Letters::Url, 20),
    wordy(API_KEY, "sk-or-", Letters::Url, 20),
    wordy("openai_key", "sk-", Letters::Url, 20),
    exact(GOOGLE, "AIza", Letters::Url, 35),
    key(GOOGLE, "GOCSPX-", Letters::Url, 20),
    key(GOOGLE, "ya29.", Letters::Dotted, 20),
    wordy(API_KEY, "npm_", Letters::Plain, 36),
    key(API_KEY, "pypi-", Letters::Url, 50),
    wordy(API_KEY, "hf_", Letters::Plain, 30),
    wordy(API_KEY, "gsk_", Letters::Plain, 30),
    wordy(API_KEY, "xai-", Letters::Plain, 40),
    wordy(API_KEY, "pplx-", Letters::Plain, 32),
    exact(API_KEY, "r8_", Letters::Plain, 37),
    key(API_KEY, "SG.", Letters::Dotted, 50),
    exact(API_KEY, "key-", Letters::Hex, 32),
    exact(API_KEY, "dop_v1_", Letters::Hex, 64),
    exact(API_KEY, "doo_v1_", Letters::Hex, 64),
    exact(API_KEY, "dor_v1_", Letters::Hex, 64),
    exact(API_KEY, "shpat_", Letters::Hex, 32),
    exact(API_KEY, "shpss_", Letters::Hex, 32),
    exact(API_KEY, "shpca_", Letters::Hex, 32),
    exact(API_KEY, "shppa_", Letters::Hex, 32),
    exact(API_KEY, "dapi", Letters::Hex, 32),
    key(API_KEY, "dckr_pat_", Letters::Url, 20),
    key(API_KEY, "lin_api_", Letters::Plain, 32),
    key(API_KEY, "ntn_", Letters::Plain, 40),
    key(API_KEY, "ATATT3", Letters::Url, 60),
    key(API_KEY, "hvs.", Letters::Url, 24),
    key(API_KEY, "hvb.", Letters::Url, 24),
    wordy(API_KEY, "dp.pt.", Letters::Plain, 32),
    key(API_KEY, "glsa_", Letters::Url, 32),
    wordy(API_KEY, "glc_", Letters::Url, 32),
    key(API_KEY, "NRAK-", Letters::Capitals, 20),
    key(API_KEY, "sq0csp-", Letters::Url, 22),
    exact(API_KEY, "sbp_", Letters::Hex, 40),
    key(API_KEY, "pscale_tkn_", Letters::Dotted, 32),
    key(API_KEY, "PMAK-", Letters::Url, 40),
    wordy(API_KEY, "tskey-", Letters::Url, 20),
    exact(API_KEY, "pul-", Letters::Hex, 40),
    key(API_KEY, "sntrys_", Letters::Url, 40),
    key(API_KEY, "AGE-SECRET-KEY-1", Letters::Capitals, 50),
    key(API_KEY, "discord.com/api/webhooks/", Letters::Path, 60),
];
