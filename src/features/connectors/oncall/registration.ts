/** The steps by which a person registers the app at the provider (specification, Oncall connector setup procedure). */
export const oncallRegistration: readonly string[] = [
  'Register a new app in the developer portal with the functionality "OAuth 2.0" only. Leave Events Integration unselected.',
  'Choose Scoped OAuth, and enter the redirect URI exactly as above.',
  'Grant exactly these scopes: incidents.read, services.read, users.read, webhook_subscriptions.read, webhook_subscriptions.write.',
  'Copy the client id and the client secret; the secret is shown once. The webhook is created by orgctx itself.',
];
