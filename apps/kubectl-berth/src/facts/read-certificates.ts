import { isApiStatus, type ApiClient } from '@berth/k8s-client'
import { isTerminal } from '@berth/resources'
import type { ObjectMeta, Pod } from '@berth/types'
import { secrets } from './resource-refs.ts'
import type { ReadOptions } from '../output/read-json.ts'

/** A certificate in a Secret that pods of an extender mount. The private key is not kept. */
export interface MountedCertificate {
  readonly namespace: string
  readonly secret: string
  /** The pods that mount it, as `namespace/name`. */
  readonly pods: readonly string[]
  /** PEM; undefined without the key `tls.crt`. */
  readonly certificatePem: string | undefined
  /** The CA that verifies the other side, PEM; undefined without the key `ca.crt`. */
  readonly authorityPem: string | undefined
  /** Name of the Certificate of cert-manager that writes the Secret. */
  readonly certManagerName: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

interface Secret {
  readonly metadata: ObjectMeta
  readonly data?: Readonly<Record<string, string>>
}

/**
 * Reads the certificates of extenders, each Secret once, by name.
 *
 * @param onMissing - Receives a sentence for each Secret that could not be read.
 */
export async function readCertificates(
  pods: readonly Pod[],
  { client, signal, deadline }: ReadOptions & { readonly client: Pick<ApiClient, 'get'> },
  onMissing: (sentence: string) => void,
): Promise<readonly MountedCertificate[]> {
  const mounts = pods
    .filter((pod) => !isTerminal(pod) && isExtender(pod))
    .flatMap((pod) => secretsOf(pod).map((secret) => ({ pod, secret, namespace: pod.metadata.namespace ?? 'default' })))
  const bySecret = Map.groupBy(mounts, ({ namespace, secret }) => `${namespace}/${secret}`)
  const found = await Promise.all(
    [...bySecret].map(async ([place, users]): Promise<readonly MountedCertificate[]> => {
      const [first] = users
      if (first === undefined) return []
      const { namespace, secret: name } = first
      try {
        const options = { signal, deadlineMs: deadline.ms }
        const secret = await client.get<Secret>(secrets, { namespace, name }, options)
        const text = (key: string): string | undefined => {
          const data = secret.data?.[key]
          return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8')
        }
        return [
          {
            namespace,
            secret: name,
            pods: users.map(({ pod }) => `${namespace}/${pod.metadata.name ?? ''}`).toSorted(),
            certificatePem: text('tls.crt'),
            authorityPem: text('ca.crt'),
            certManagerName: secret.metadata.annotations?.['cert-manager.io/certificate-name'],
            labels: secret.metadata.labels ?? {},
          },
        ]
      } catch (error) {
        signal.throwIfAborted()
        if (isApiStatus(error, 403))
          onMissing(`The dates of Secret ${place} are unknown: grant the verb "get" on this Secret to this user.`)
        else if (isApiStatus(error, 404))
          onMissing(`Secret ${place}, which pod ${namespace}/${first.pod.metadata.name ?? ''} mounts, does not exist.`)
        else throw error
        return []
      }
    }),
  )
  return found.flat()
}

function isExtender({ metadata }: Pod): boolean {
  return metadata.labels?.['app.kubernetes.io/component'] === 'extender'
}

function secretsOf({ spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap((volume) => {
    const { secretName } = (volume['secret'] ?? {}) as { readonly secretName?: string }
    return secretName ?? []
  })
}
