import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { shorten } from '../../foundation/kernel/text/visible-text.ts';

// The types of the SDK's own hook, which is protected.
type Wrapped = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/**
 * A server whose errors are sentences. The SDK answers parameters of a wrong shape with the issues of its validation
 * as JSON, for most methods as an internal error.
 */
export class PlainServer extends Server {
  // The hook of the SDK has this name.
  // oxlint-disable-next-line no-underscore-dangle
  protected override _wrapHandler(method: string, handler: Wrapped): Wrapped {
    // oxlint-disable-next-line no-underscore-dangle
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        throw plainError(method, error);
      }
    };
  }
}

const maxIssues = 5;

const issuesShape = z.array(
  z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }),
);

function plainError(method: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const issues = issuesOf(error.message);
  if (issues === undefined) return error;
  const told = issues.slice(0, maxIssues).map(({ path, message }) => {
    const place = path[0] === 'params' ? path.slice(1) : path;
    return `${shorten(place.join('.')) || 'params'}: ${shorten(message)}`;
  });
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Invalid parameters of ${method}. ${told.join('; ')}.`,
  );
}

/** Returns the issues that end a message of the SDK, which writes them as JSON. */
function issuesOf(message: string): z.infer<typeof issuesShape> | undefined {
  const start = message.indexOf('[');
  if (start < 0) return undefined;
  try {
    return issuesShape.safeParse(JSON.parse(message.slice(start))).data;
  } catch {
    return undefined;
  }
}
