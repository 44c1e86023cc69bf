import type { FastifyError } from 'fastify';
import { type FieldFault, InvalidInput, OrgctxError } from '../../foundation/kernel/errors.ts';

/** Fastify's own refusals and the schemas' verdicts; `undefined` for what is no fault of the caller. */
export function faultOfFramework(error: unknown): OrgctxError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { statusCode = 500, code, validation, validationContext } = error as FastifyError;
  if (validation !== undefined) return invalid(validation, validationContext);
  if (statusCode < 400 || statusCode >= 500) return undefined;
  return new RefusedByFramework(statusCode, code);
}

/** What is at fault when no field is: the whole query, or the whole body. */
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
  const errors: FieldFault[] = validation.map((fault) => ({
    path: fault.instancePath.split('/').filter(Boolean).join('.') || section,
    message: fault.message ?? 'is not valid',
  }));
  const places = [...new Set(errors.map((fault) => fault.path))].join(', ');
  return new InvalidInput(`The request is not valid: correct ${places}.`, { errors });
}

/**
 * By Fastify's code, what people are told; its own texts quote the body or speak of Fastify, so they are not even
 * logged.
 */
const refusals: Readonly<Record<string, { status: number; code: string; message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    code: 'payload_too_large',
    message: 'The body is larger than this path takes.',
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
    message: 'The body is not as long as Content-Length says.',
  },
  FST_ERR_BAD_URL: { status: 400, code: 'validation_failed', message: 'The path is not validly encoded.' },
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
