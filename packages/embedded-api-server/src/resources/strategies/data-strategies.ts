import type { ApiObject } from '../../schema/json/api-object.ts'
import { isObject, objectAt } from '../../schema/json/json-object.ts'
import type { Strategy } from '../kinds/strategy.ts'
import { validateData } from '../validation/validate-data.ts'

/** Config maps have only their data validated. */
export const configMapStrategy: Strategy = { validate: validateData }

/** Secrets store `stringData` as base64 in `data`: it is a write-only field. */
export const secretStrategy: Strategy = { defaults: storeStringData, validate: validateData }

function storeStringData({ stringData, ...secret }: ApiObject): ApiObject {
  const strings = Object.entries(isObject(stringData) ? stringData : {})
  const encoded = Object.fromEntries(strings.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]))
  const data = { ...objectAt(secret, 'data'), ...encoded }
  return { type: 'Opaque', ...(secret as ApiObject), ...(Object.keys(data).length === 0 ? {} : { data }) }
}
