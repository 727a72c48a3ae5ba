import type { Strategy } from '../../resources/kinds/strategy.ts'
import { isObject, listAt, objectAt, own } from '../../schema/json/json-object.ts'

/** Write rules of LimitRanges: missing defaults are derived from the limits of the range. */
export const limitRangeStrategy: Strategy = {
  defaults: (range) => ({
    ...range,
    spec: {
      ...objectAt(range, 'spec'),
      limits: listAt(range, 'spec', 'limits').map((limit) => {
        if (!isObject(limit) || own(limit, 'type') !== 'Container') return limit
        const [max, min] = [objectAt(limit, 'max'), objectAt(limit, 'min')]
        const given = { ...max, ...objectAt(limit, 'default') }
        const requests = { ...min, ...given, ...objectAt(limit, 'defaultRequest') }
        return {
          ...limit,
          ...(Object.keys(given).length === 0 ? {} : { default: given }),
          ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
        }
      }),
    },
  }),
}
