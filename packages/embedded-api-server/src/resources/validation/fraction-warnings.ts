import { parseQuantity } from '@berth/resources'
import { listAt, objectAt } from '../../schema/json/json-object.ts'

const BYTES = ['memory', 'ephemeral-storage']

/**
 * Returns warnings about fractional byte amounts in the containers of a pod spec at `path`.
 *
 * @see kubernetes pkg/api/pod/warnings.go (v1.36)
 */
export function fractionWarnings(spec: unknown, path: string): readonly string[] {
  return ['initContainers', 'containers'].flatMap((list) =>
    listAt(spec, list).flatMap((container, i) =>
      ['limits', 'requests'].flatMap((key) => {
        const amounts = objectAt(container, 'resources', key)
        return BYTES.flatMap((name) => {
          const amount = amounts[name]
          if (typeof amount !== 'string' || parseQuantity(amount).milliValue() % 1000n === 0n) return []
          const field = `${path}.${list}[${i}].resources.${key}[${name}]`
          return [`${field}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`]
        })
      }),
    ),
  )
}
