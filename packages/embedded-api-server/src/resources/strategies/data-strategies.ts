import type { ApiObject } from '../../schema/json/api-object.ts'
import { isObject, objectAt } from '../../schema/json/json-object.ts'
import type { Strategy } from '../kinds/strategy.ts'
import { validateData } from '../validation/validate-data.ts'

/** Write rules of ConfigMaps: their data is validated; there are no defaults. */
export const configMapStrategy: Strategy = { validate: validateData }

/** Write rules of Secrets: the write-only field `stringData` is stored as base64 in `data`. */
export const secretStrategy: Strategy = { defaults: storeStringData, validate: validateData }

function storeStringData({ stringData, ...secret }: ApiObject): ApiObject {
  const strings = Object.entries(isObject(stringData) ? stringData : {})
  const encoded = Object.fromEntries(strings.map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]))
  const data = { ...objectAt(secret, 'data'), ...encoded }
  return { type: 'Opaque', ...(secret as ApiObject), ...(Object.keys(data).length === 0 ? {} : { data }) }
}
