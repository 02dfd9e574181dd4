//! Scopes of tokens.

/// Scope of a token: the requests that it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Submitting records.
    RecordsWrite,
    /// Correcting, retracting, merging, tournaments, and undoing these.
    EventsAdmin,
    /// All requests.
    Admin,
}

impl Scope {
    /// All scopes, the widest last.
    pub const ALL: [Self; 3] = [Self::RecordsWrite, Self::EventsAdmin, Self::Admin];

    /// Name in JSON and options.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RecordsWrite => "records:write",
            Self::EventsAdmin => "events:admin",
            Self::Admin => "admin",
        }
    }

    /// The scope with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// True if this scope includes `wanted`.
    pub fn allows(self, wanted: Self) -> bool {
        self == wanted || self == Self::Admin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes() {
        for scope in Scope::ALL {
            assert_eq!(Scope::parse(scope.as_str()), Some(scope));
            assert!(scope.allows(scope) && Scope::Admin.allows(scope));
            assert_eq!(scope.allows(Scope::Admin), scope == Scope::Admin);
        }
        assert!(!Scope::RecordsWrite.allows(Scope::EventsAdmin) && !Scope::EventsAdmin.allows(Scope::RecordsWrite));
        assert_eq!(Scope::parse("Admin"), None);
    }
}
