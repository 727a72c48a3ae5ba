import type { ApiClient } from '@berth/k8s-client'
import { createAuthority } from './certificates.ts'
import { putSecret } from './secret-mount.ts'

/** Secrets with the certificates of an installation that cert-manager or an administrator provides. */
export const formerSecrets = { server: 'berth-extender-server', client: 'berth-extender-client' } as const

/** Values of an installation whose kube-scheduler has its certificates in files of its host. */
export const kubeSchedulerElsewhere = { kubeScheduler: { enabled: false }, service: { enabled: true } } as const

/**
 * Returns the flags with which Helm renders an upgrade that finds {@link formerSecrets}.
 *
 * @param kubeconfig - Path of the kubeconfig with which Helm looks for them.
 */
export const upgradeFlags = (kubeconfig: string): readonly string[] => [
  '--is-upgrade',
  '--dry-run=server',
  '--kubeconfig',
  kubeconfig,
]

/** Creates {@link formerSecrets} with certificates of an authority for each side. */
export async function createFormerCertificates(client: ApiClient, namespace: string): Promise<void> {
  const [servers, clients] = [await createAuthority('servers'), await createAuthority('clients')]
  for (const [use, issuer, other, commonName] of [
    ['server', servers, clients, 'berth-extender'],
    ['client', clients, servers, 'kube-scheduler'],
  ] as const) {
    const { cert, key } = await issuer.issue(commonName, { use })
    const target = { namespace, name: formerSecrets[use] }
    await putSecret(client, target, { 'ca.crt': other.ca, 'tls.crt': cert, 'tls.key': key })
  }
}
