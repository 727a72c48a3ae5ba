import { isObject } from '../json/json-object.ts'
import { compileExpression, type Expression } from './expression.ts'

/** Answers the expression that a stored object holds under a key, over these variables. */
export type ExpressionCache = (holder: unknown, key: string, variables: readonly string[]) => Expression

/** Reads each expression once, however often it is evaluated. Stored objects never change, so that it stays true. */
export function createExpressionCache(): ExpressionCache {
  const known = new WeakMap<object, Map<string, Expression>>()
  return (holder, key, variables) => {
    if (!isObject(holder)) return compileExpression('', variables)
    const expressions = known.get(holder) ?? new Map<string, Expression>()
    known.set(holder, expressions)
    const found = expressions.get(key) ?? compileExpression(String(holder[key]), variables)
    expressions.set(key, found)
    return found
  }
}
