import { isRecord, type KubernetesObject } from '@berth/types'

/** The text in place of a credential. */
const REDACTED = 'REDACTED'
/** Groups without a domain of Kubernetes that are not custom. */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set(['', 'apps', 'autoscaling', 'batch', 'policy'])
/** Ends of keys that name nothing but a credential, in small letters without separators. */
const CREDENTIAL_KEY =
  /(?:password|passwd|passphrase|clientsecret|secretaccesskey|privatekey|apikey|(?:api|access|refresh|bearer|auth)token)$|^token$/
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY/
/** The beginning of any PEM block in base64, up to its name. */
const ENCODED_PEM = /LS0tLS1CRUdJTi[A-Za-z\d+/]{0,50}/g
/** The scheme is bounded: without `://` after it, each character of a long text would begin a search to the end. */
const URL_PASSWORD = /([a-z][a-z\d+.-]{0,30}:\/\/[^\s"/:@]*):[^\s"/]+@/gi

/** Objects without credentials. */
export interface RedactedObjects {
  readonly objects: readonly KubernetesObject[]
  /** Number of replaced values by kind, such as `Database.example.com`. */
  readonly redacted: ReadonlyMap<string, number>
}

/**
 * Replaces the credentials in custom resources: texts that the schema of the kind declares as `format: password`, texts
 * under a key that names a credential (also the value below such a key, and beside such a name in a list of variables),
 * private keys, and passwords in URLs. References to Secrets stay, as do built-in kinds, whose credentials belong into Secrets.
 */
export function redactCredentials(objects: readonly KubernetesObject[]): RedactedObjects {
  const schemas = schemasOf(objects)
  const redacted = new Map<string, number>()
  return {
    redacted,
    objects: objects.map((object) => {
      const { apiVersion = '', kind = '' } = object
      const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
      const schema = schemas.get(`${apiVersion} ${kind}`)
      if (schema === undefined && (BUILT_IN_GROUPS.has(group) || group.endsWith('.k8s.io'))) return object
      const name = `${kind}.${group}`
      const redaction = new Redaction()
      const { metadata, ...rest } = object
      const clean = { ...(redaction.object(rest, schema) as KubernetesObject), ...(metadata && { metadata }) }
      if (redaction.count === 0) return object
      redacted.set(name, (redacted.get(name) ?? 0) + redaction.count)
      return clean
    }),
  }
}

/** Returns the schemas that CustomResourceDefinitions declare, by apiVersion and kind. */
function schemasOf(objects: readonly KubernetesObject[]): ReadonlyMap<string, unknown> {
  const schemas = new Map<string, unknown>()
  for (const { kind, ...definition } of objects) {
    if (kind !== 'CustomResourceDefinition') continue
    const { spec } = definition as { readonly spec?: unknown }
    if (!isRecord(spec) || !isRecord(spec['names']) || !Array.isArray(spec['versions'])) continue
    for (const version of spec['versions'] as readonly unknown[]) {
      if (!isRecord(version)) continue
      const id = `${String(spec['group'])}/${String(version['name'])} ${String(spec['names']['kind'])}`
      schemas.set(id, isRecord(version['schema']) ? version['schema']['openAPIV3Schema'] : {})
    }
  }
  return schemas
}

/** Copies values without their credentials, and counts these. */
class Redaction {
  count = 0

  object(value: Readonly<Record<string, unknown>>, schema: unknown, isBelowCredential = false): unknown {
    const properties = part(schema, 'properties')
    const others = part(schema, 'additionalProperties')
    const named = value['name']
    const isVariable = isBelowCredential || (typeof named === 'string' && isCredentialKey(named))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => {
        const isCredential = isCredentialKey(key) || (isVariable && key === 'value')
        return [key, this.#value(each, part(properties, key) ?? others, isCredential)]
      }),
    )
  }

  #value(value: unknown, schema: unknown, isCredential: boolean): unknown {
    if (typeof value === 'string') return this.#text(value, isCredential || part(schema, 'format') === 'password')
    if (Array.isArray(value)) return value.map((each) => this.#value(each, part(schema, 'items'), isCredential))
    return isRecord(value) ? this.object(value, schema, isCredential) : value
  }

  #text(text: string, isCredential: boolean): string {
    const clean =
      text !== '' && (isCredential || hasPrivateKey(text)) ? REDACTED : text.replace(URL_PASSWORD, `$1:${REDACTED}@`)
    if (clean !== text) this.count++
    return clean
  }
}

function hasPrivateKey(text: string): boolean {
  const decoded = text.match(ENCODED_PEM)?.map((encoded) => Buffer.from(encoded, 'base64').toString('latin1')) ?? []
  return [text, ...decoded].some((pem) => PRIVATE_KEY.test(pem))
}

function isCredentialKey(key: string): boolean {
  return CREDENTIAL_KEY.test(key.toLowerCase().replace(/[-_.]/g, ''))
}

function part(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
