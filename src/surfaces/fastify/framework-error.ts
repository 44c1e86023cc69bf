import type { FastifyError } from 'fastify';
import { explainDiskFull, InvalidInput, OrgctxError } from '../../foundation/kernel/errors.ts';
import { shorten } from '../../foundation/kernel/text/visible-text.ts';
import { fieldErrorsOf, type SchemaIssue } from '../../foundation/kernel/wire/field-errors.ts';
import { fieldName } from '../../foundation/kernel/wire/json-pointer.ts';

/**
 * Converts an error of Fastify, of schema validation or of a full disk; `undefined` for any other, which the caller
 * did not cause.
 */
export function errorOfFramework(error: unknown): OrgctxError | undefined {
  if (!(error instanceof Error)) return undefined;
  const explained = explainDiskFull(error);
  if (explained instanceof OrgctxError) return explained;
  const { statusCode = 500, code, validation, validationContext } = error as FastifyError;
  if (validation !== undefined) return invalid(validation, validationContext);
  if (statusCode < 400 || statusCode >= 500) return undefined;
  return new RefusedByFramework(statusCode, code);
}

/** Names for the invalid part of a request if validation names no field. */
const sections: Readonly<Record<string, string>> = {
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

function invalid(
  validation: NonNullable<FastifyError['validation']>,
  context: FastifyError['validationContext'],
): InvalidInput {
  const section = sections[context ?? ''] ?? context ?? 'request';
  const errors = fieldErrorsOf(validation.map(issueOf));
  const places = [...new Set(errors.map(({ path }) => fieldName(path) || section))].join(', ');
  return new InvalidInput(`The request is not valid: correct ${places}.`, { errors });
}

/**
 * Returns the issue that the library converted: it joins the names of the path with slashes, and points to the whole
 * with `/`.
 */
function issueOf({
  instancePath,
  message,
  params,
}: NonNullable<FastifyError['validation']>[number]): SchemaIssue {
  const path = instancePath.split('/').filter(Boolean);
  const keys = params['keys'] as readonly string[] | undefined;
  return { path, message: shorten(message ?? 'is not valid'), ...(keys && { keys }) };
}

/**
 * User-facing errors by Fastify's error code. Fastify's own messages quote the body or mention Fastify, so they are
 * not even logged.
 */
const refusals: Readonly<Record<string, { status: number; code: string; message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    code: 'payload_too_large',
    message: 'The body is larger than this path accepts.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 415,
    code: 'unsupported_media_type',
    message: 'Send JSON, with the header "Content-Type: application/json".',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: {
    status: 400,
    code: 'validation_failed',
    message: 'The body is not valid JSON.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    status: 400,
    code: 'validation_failed',
    message: 'The length of the body does not match Content-Length.',
  },
  FST_ERR_BAD_URL: {
    status: 400,
    code: 'validation_failed',
    message: 'The path contains invalid percent-encoding.',
  },
  FST_ERR_MAX_PARAM_LENGTH: { status: 404, code: 'not_found', message: 'Nothing is served at this path.' },
};

class RefusedByFramework extends OrgctxError {
  readonly status: number;

  constructor(statusCode: number, frameworkCode: string) {
    const known = refusals[frameworkCode];
    super(known?.code ?? 'validation_failed', known?.message ?? 'The request cannot be read.');
    this.status = known?.status ?? statusCode;
  }
}
