//! Our JSON: requests parse into library types; answers; the error envelope.
