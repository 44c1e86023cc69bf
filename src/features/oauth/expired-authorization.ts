/** What people read where nothing waits for them any more, whatever page they came to. */
export const expiredAuthorization =
  'This authorization has expired, was answered already, or was begun in another browser. ' +
  'Go back to the client and connect again.';
