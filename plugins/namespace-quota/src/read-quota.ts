import type { ClusterObjectsReader } from '@berth/plugin-api'
import type { QuotaRule } from './args.ts'

/** The quota of a namespace, or why it is not known. Without a quota, there is no limit. */
export type NamespaceQuota =
  | { readonly kind: 'known'; readonly quota: bigint | undefined }
  | { readonly kind: 'unknown'; readonly reason: string }

/** The text that sets a quota; undefined where nothing is set for the namespace. */
interface QuotaText {
  readonly text: string | undefined
  readonly origin: string
}

/** Reads the quota of one resource from the label of the namespace or from the ConfigMap. */
export function readQuota(namespace: string, rule: QuotaRule, objects: ClusterObjectsReader): NamespaceQuota {
  const { configMap, label = '', name } = rule
  const found =
    configMap === undefined ? fromLabel(namespace, label, objects) : fromConfigMap(namespace, configMap, objects)
  if (found === undefined) {
    return unknown(
      configMap === undefined
        ? `namespace ${namespace} is not known yet, so its quota of ${name} is not`
        : `ConfigMap ${configMap} with the quotas of ${name} does not exist: create it with a key for each namespace`,
    )
  }
  const { text, origin } = found
  if (text === undefined) return { kind: 'known', quota: rule.default === undefined ? undefined : BigInt(rule.default) }
  // JSON shows a line break, which a block of YAML adds.
  if (!/^\d{1,15}$/.test(text)) return unknown(`${origin} is ${JSON.stringify(text)}, not a number of ${name}`)
  return { kind: 'known', quota: BigInt(text) }
}

function fromLabel(namespace: string, label: string, objects: ClusterObjectsReader): QuotaText | undefined {
  const object = objects.get('namespaces', namespace)
  const origin = `label ${label} of namespace ${namespace}`
  return object && { text: object.metadata.labels?.[label], origin }
}

function fromConfigMap(namespace: string, configMap: string, objects: ClusterObjectsReader): QuotaText | undefined {
  const object = objects.get('configMaps', configMap)
  if (object === undefined) return undefined
  const { data = {} } = object
  const text = Object.hasOwn(data, namespace) ? data[namespace] : undefined
  return { text, origin: `key ${namespace} of ConfigMap ${configMap}` }
}

function unknown(reason: string): NamespaceQuota {
  return { kind: 'unknown', reason }
}
