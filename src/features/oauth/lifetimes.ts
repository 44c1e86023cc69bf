/**
 * Time for which an authorization waits for the user's decision, in seconds. The user may first have to find a
 * password.
 */
export const interactionSeconds = 30 * 60;

/** Lifetime of a device code and its user code, in seconds. */
export const deviceCodeSeconds = 15 * 60;

/** Lifetime of an authorization code, in seconds. */
export const codeSeconds = 60;

/** Lifetime of a grant without a token, in milliseconds: the lifetime of a device code plus a margin of 5 minutes. */
export const untilFirstTokenMs = (deviceCodeSeconds + 5 * 60) * 1000;
