/** Returns the purpose of the form that is sent to `action`, for its token. */
export function formPurpose(action: string): string {
  return `app ${action}`;
}
