//! Scopes of tokens: the requests that a token allows.

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// To hand in records.
    RecordsWrite,
    /// To correct, to retract, to merge, and to undo that.
    EventsAdmin,
    /// Everything.
    Admin,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::RecordsWrite, Self::EventsAdmin, Self::Admin];

    /// As data has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RecordsWrite => "records:write",
            Self::EventsAdmin => "events:admin",
            Self::Admin => "admin",
        }
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// Whether it allows what needs `wanted`.
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
