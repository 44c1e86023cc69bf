/** Words with which a text gives a reason, and does not only describe. */
export const givesReason =
  /\b(?:because|since|so that|so (?:we|it|they|this|you)\b|otherwise|avoid\w*|prevent\w*|workaround|work around|compatib\w+|in order to|due to|not specified|isn't specified|ensure\w*|must not|must be|mustn't|cannot|can't|would (?:be|not|break|fail|cause|otherwise|lead|leak|block|mean)\w*|instead of|rather than|safely|has to be|see #\d+|security|vulnerab\w*|for (?:performance|historical|legacy|backwards?))\b/iu;
