import { GraphQLError } from 'graphql';

/** One error as the provider's API reports it. */
export function providerError(
  message: string,
  { type, code, statusCode }: { readonly type: string; readonly code: string; readonly statusCode: number },
): GraphQLError {
  return new GraphQLError(message, {
    extensions: { type, code, statusCode, userError: true, userPresentableMessage: message },
  });
}

export function inputError(message: string): GraphQLError {
  return providerError(message, { type: 'invalid input', code: 'INPUT_ERROR', statusCode: 400 });
}

export function notFound(type: string): GraphQLError {
  return inputError(`Entity not found: ${type}`);
}
