/** Paths of the API reference. Its files have names of their own, so that no other origin is asked for them. */
export const apiReferencePaths = {
  page: '/.docs/api-reference',
  script: '/.docs/api-reference/scalar.js',
  start: '/.docs/api-reference/start.js',
  style: '/.docs/api-reference/style.css',
} as const;

/** The description is read in the browser. Nothing on the page is inline, as its content security policy demands. */
export const apiReferencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>API reference · orgctx</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${apiReferencePaths.style}">
</head>
<body>
<noscript><p>The API reference needs JavaScript. The description itself is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<div id="reference"></div>
<script src="${apiReferencePaths.script}"></script>
<script src="${apiReferencePaths.start}"></script>
</body>
</html>
`;

/** Starts the reference without telemetry, assistants, foreign fonts and proxies: no request leaves this origin. */
export const startScript = `'use strict';
Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  documentDownloadType: 'json',
  authentication: { preferredSecurityScheme: 'bearer' },
});
`;

/** Raises contrasts of the reference to 4.5:1. */
export const style = `.light-mode { --scalar-color-2: #555555; --scalar-color-3: #5f5f5f; --scalar-color-green: #05704c; --scalar-color-orange: #b23d00; }
.dark-mode { --scalar-color-2: #b8b8b8; --scalar-color-3: #a6a6a6; --scalar-color-red: #ff7b7b; }
`;
