import type { Pod } from '@berth/types'
import { podFlag } from '../../profile/cluster/scheduler-pods.ts'
import type { Extension } from '../model/extension.ts'
import { placeOf } from '../model/program.ts'
import { survey } from '../model/survey.ts'

/**
 * Encryption of stored objects: the checks that the API server runs for KMS plugins, and the flag of API server pods.
 *
 * @see k8s.io/apiserver pkg/server/options/encryptionconfig (v0.36) for the names of the checks
 */
export const keyManagement = survey({
  kind: 'kms',
  title: 'Encryption of stored objects (KMS)',
  needs: ['server', 'pods'],
  find({ server, pods }, { unread }) {
    const [state] = server
    const isPlugin = (check: string): boolean => /^kms-provider(?:s|-\d+)$/.test(check)
    const checks = [
      ...(state?.passing ?? []).filter(isPlugin).map((name) => ({ name, isPassing: true })),
      ...(state?.failing ?? []).filter(isPlugin).map((name) => ({ name, isPassing: false })),
    ]
    const found = checks.map(({ name, isPassing }): Extension => ({
      name,
      use: 'used',
      usedBy: ['the API server'],
      health: isPassing ? 'healthy' : 'unhealthy',
      evidence: [`The check ${name} of /readyz ${isPassing ? 'passes' : 'fails'}.`],
    }))
    if (found.length > 0) return found
    const checksText = unread.has('server')
      ? 'Whether the API server checks a KMS plugin is unknown.'
      : '/readyz names no check of a KMS plugin.'
    return pods.flatMap((pod) => configuredIn(pod, checksText))
  },
})

/** Without a check there is no KMS plugin, or it may not be asked for: the file may hold local keys. */
function configuredIn(pod: Pod, checksText: string): readonly Extension[] {
  if (pod.metadata.labels?.['component'] !== 'kube-apiserver') return []
  const file = podFlag(pod, 'encryption-provider-config')
  return file === undefined
    ? []
    : [
        {
          name: file,
          use: 'used',
          usedBy: [`pod ${placeOf(pod)}`],
          health: 'unknown',
          evidence: [`Pod ${placeOf(pod)} reads this file on its host. ${checksText}`],
        },
      ]
}
