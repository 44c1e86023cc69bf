/** The message that every page shows for an authorization that is not pending. */
export const expiredAuthorization =
  'This authorization has expired, was already answered, or was started in another browser. ' +
  'Go back to the client and connect again.';
