import { type DocumentNode, execute, GraphQLError, Kind, parse, specifiedRules, validate } from 'graphql';
import { z } from 'zod';
import type { Reply } from '../http.ts';
import type { Workspace } from '../model.ts';
import { type sdkPackages, trackerSchema } from '../schema/tracker-schema.ts';
import { complexityOf, maxComplexity } from './complexity.ts';
import { inputError, providerError } from './errors.ts';
import { createBuckets, type RateLimits } from './rate-limits.ts';
import { fieldResolver } from './resolve.ts';

/** A field that cannot be read: the answer has the rest, and an error. */
export interface MissingField {
  readonly field: string;
  /** Default: of every entity. */
  readonly id?: string;
  readonly type?: string;
}

export interface GraphqlApi {
  readonly limits: RateLimits;
  readonly missingFields: MissingField[];
  /** Queries so far, with their variables and cost. */
  readonly queries: { readonly text: string; readonly variables: unknown; readonly complexity: number }[];
  /** What was refused because the schema or the stand-in does not know it. */
  readonly strays: string[];
  answer(body: string): Promise<Reply>;
}

const request = z.strictObject({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).default({}),
  operationName: z.string().nullish(),
});

export function createGraphqlApi(workspace: Workspace, version: keyof typeof sdkPackages): GraphqlApi {
  const schema = trackerSchema(version);
  const limits: RateLimits = {
    requests: 5_000,
    complexity: 3_000_000,
    endpoints: new Map(),
    refusalStatus: 400,
    withoutCode: false,
    withoutRetryAfter: false,
    refills: true,
  };
  const buckets = createBuckets(limits, workspace.now);
  const parsed = new Map<
    string,
    { readonly document: DocumentNode; readonly errors: readonly GraphQLError[] }
  >();

  const resolver = fieldResolver(workspace, (row, field) => {
    const isMissing = api.missingFields.some(
      (one) =>
        one.field === field && (one.id ?? row.id) === row.id && (one.type ?? row.typename) === row.typename,
    );
    if (isMissing) {
      throw providerError('Internal server error', {
        type: 'internal error',
        code: 'INTERNAL_SERVER_ERROR',
        statusCode: 500,
      });
    }
  });

  function read(text: string) {
    const known = parsed.get(text);
    if (known !== undefined) return known;
    const document = parse(text);
    const result = { document, errors: validate(schema, document, specifiedRules) };
    parsed.set(text, result);
    return result;
  }

  function refuse(headers: Readonly<Record<string, string>>): Reply {
    const error = limits.withoutCode
      ? new GraphQLError('Rate limit exceeded. Only 5000 requests are allowed per 1 hour.')
      : providerError('Rate limit exceeded', { type: 'ratelimited', code: 'RATELIMITED', statusCode: 429 });
    return { status: limits.refusalStatus, headers, body: { errors: [error] } };
  }

  const api: GraphqlApi = {
    limits,
    missingFields: [],
    queries: [],
    strays: [],
    async answer(body) {
      const given = request.safeParse(parseJson(body));
      if (!given.success) {
        api.strays.push(given.error.message);
        return failed([inputError('The request body is not a GraphQL request')]);
      }
      const { query, variables } = given.data;
      const { document, errors } = read(query);
      if (errors.length > 0) {
        api.strays.push(...errors.map(({ message }) => message));
        return failed(errors.map(({ message }) => graphqlError(message)));
      }
      const complexity = complexityOf(schema, document, variables);
      const { headers, admitted } = buckets.take(complexity, endpointOf(document));
      if (!admitted) return refuse(headers);
      api.queries.push({ text: query, variables, complexity });
      if (complexity > maxComplexity) {
        const message = `Query too complex: ${Math.round(complexity)} of at most ${maxComplexity}`;
        return { ...failed([inputError(message)]), headers };
      }
      const result = await execute({
        schema,
        document,
        variableValues: variables,
        fieldResolver: resolver,
        typeResolver: (value) => (value as { typename: string }).typename,
      });
      for (const { originalError, message } of result.errors ?? []) {
        // A failure of the stand-in or of the query, not one that the provider would report.
        if (originalError !== undefined && !(originalError instanceof GraphQLError)) api.strays.push(message);
      }
      const isWhole = result.data === null || result.data === undefined;
      return { status: isWhole && result.errors !== undefined ? 400 : 200, headers, body: result };
    },
  };
  return api;
}

/** Returns the first field of a query. */
function endpointOf({ definitions }: DocumentNode): string {
  const [query] = definitions;
  const [field] = query?.kind === Kind.OPERATION_DEFINITION ? query.selectionSet.selections : [];
  return field?.kind === Kind.FIELD ? field.name.value : '';
}

function graphqlError(message: string): GraphQLError {
  return providerError(message, {
    type: 'graphql error',
    code: 'GRAPHQL_VALIDATION_FAILED',
    statusCode: 400,
  });
}

function failed(errors: readonly GraphQLError[]): Reply {
  return { status: 400, body: { errors } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
