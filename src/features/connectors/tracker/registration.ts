/** The steps by which a person registers the app at the tracker (specification, Tracker connector setup procedure). */
export const trackerRegistration: readonly string[] = [
  'You need the permission to create OAuth applications in the workspace.',
  'Create an OAuth application with an application name and a developer name.',
  'Enter the redirect URI exactly as above, on a line of its own.',
  'Turn webhooks on, and enter the webhook URL exactly as above.',
  'Tick these data change events: issues, comments, documents, projects, initiatives, their updates, attachments, ' +
    'cycles, issue labels, users and customer requests. Also tick the OAuth authorization events.',
  'Copy the webhook signing secret before you create the application; copy the client id and the client secret after it.',
  'An application has one webhook URL. Create another application for a staging environment that needs its own events.',
];
