import { isObject } from '../json/json-object.ts'
import { compileExpression, type Expression } from './expression.ts'

/** Returns the compiled expression at a key of a stored object, over the given variables. */
export type ExpressionCache = (holder: unknown, key: string, variables: readonly string[]) => Expression

/** Creates a cache that compiles each expression once. Stored objects are immutable, so entries never become stale. */
export function createExpressionCache(): ExpressionCache {
  const expressionsByHolder = new WeakMap<object, Map<string, Expression>>()
  return (holder, key, variables) => {
    if (!isObject(holder)) return compileExpression('', variables)
    const expressions = expressionsByHolder.get(holder) ?? new Map<string, Expression>()
    expressionsByHolder.set(holder, expressions)
    const found = expressions.get(key) ?? compileExpression(String(holder[key]), variables)
    expressions.set(key, found)
    return found
  }
}
