/** Seconds that an authorization waits for a person, who may have to find their password first. */
export const interactionSeconds = 30 * 60;

/** Seconds that a device's code may be typed, and polled for. */
export const deviceCodeSeconds = 15 * 60;

/** Seconds in which a client redeems its code. */
export const codeSeconds = 60;

/** Milliseconds that a grant waits for its first token: a device may poll as long as its code lives, and a bit more. */
export const untilFirstTokenMs = (deviceCodeSeconds + 5 * 60) * 1000;
