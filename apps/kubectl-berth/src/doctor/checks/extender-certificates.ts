import type { X509Certificate } from 'node:crypto'
import { pemCertificates } from '@berth/process/certificates'
import { humanDuration } from '@berth/text/human-duration'
import type { MountedCertificate } from '../../facts/read-certificates.ts'
import { check, type Finding, type Fix } from '../model/check.ts'
import { kubectlCommand } from '../model/kubectl-command.ts'
import { readingFix } from '../model/reading-fix.ts'

/** A certificate that was not renewed in the last sixth of its lifetime, or 30 days, needs attention. */
const SOON = { share: 1 / 6, maxMs: 30 * 86_400_000 } as const

/** Whether the certificates between schedulers and Berth's extender are valid, and each side trusts the other. */
export const extenderCertificates = check({
  id: 'extender-certificates',
  title: 'Certificates of the extender are valid and trusted',
  needs: ['certificates', 'schedulerSettings'],
  run({ certificates, schedulerSettings }, { nowMs }) {
    const withCertificate = certificates.filter(({ certificatePem }) => certificatePem !== undefined)
    const trusted = schedulerSettings.flatMap(({ extenders, source }) =>
      extenders.flatMap(({ caPem }) => (caPem === undefined ? [] : { caPem, source })),
    )
    return {
      examined: withCertificate.map((one) => `Secret ${placeOf(one)}, mounted by ${one.pods.join(', ')}.`),
      findings: withCertificate.flatMap((one) => {
        const [leaf] = pemCertificates(one.certificatePem ?? '')
        return leaf === undefined
          ? [noCertificate(one)]
          : [...dateFindings(one, leaf, nowMs), ...trustFindings(one, leaf, withCertificate, trusted)]
      }),
    }
  },
})

function placeOf({ namespace, secret }: MountedCertificate): string {
  return `${namespace}/${secret}`
}

function noCertificate(one: MountedCertificate): Finding {
  return {
    severity: 'problem',
    sentence: `Secret ${placeOf(one)} holds no certificate in tls.crt.`,
    evidence: [`It is mounted by ${one.pods.join(', ')}.`],
    fix: renewal(one),
  }
}

function dateFindings(one: MountedCertificate, leaf: X509Certificate, nowMs: number): readonly Finding[] {
  const startMs = leaf.validFromDate.getTime()
  const endMs = leaf.validToDate.getTime()
  const dates = `It is valid from ${leaf.validFromDate.toISOString()} to ${leaf.validToDate.toISOString()}.`
  const finding = (severity: Finding['severity'], text: string): readonly Finding[] => [
    { severity, sentence: `The certificate in Secret ${placeOf(one)} ${text}.`, evidence: [dates], fix: renewal(one) },
  ]
  if (endMs < nowMs) return finding('problem', `expired ${humanDuration(nowMs - endMs)} ago`)
  if (startMs > nowMs) return finding('problem', `is not valid for another ${humanDuration(startMs - nowMs)}`)
  const soonMs = Math.min(SOON.maxMs, (endMs - startMs) * SOON.share)
  return endMs - nowMs < soonMs ? finding('warning', `expires in ${humanDuration(endMs - nowMs)}`) : []
}

/** Each side must trust the certificate of the other: the CA of a Secret verifies the certificate in the others. */
function trustFindings(
  one: MountedCertificate,
  leaf: X509Certificate,
  all: readonly MountedCertificate[],
  trusted: readonly { readonly caPem: string; readonly source: string }[],
): readonly Finding[] {
  const verifiers = [
    ...all
      .filter((other) => other.namespace === one.namespace && other.pods.some((pod) => one.pods.includes(pod)))
      .flatMap((other) =>
        other.authorityPem === undefined ? [] : { caPem: other.authorityPem, source: `Secret ${placeOf(other)}` },
      ),
    // Only the certificate of the server is verified by the scheduler's CA.
    ...(leaf.subjectAltName === undefined ? [] : trusted),
  ]
  const distrusting = verifiers.filter(
    ({ caPem }) => !pemCertificates(caPem).some((authority) => leaf.verify(authority.publicKey)),
  )
  return distrusting.length === 0
    ? []
    : [
        {
          severity: 'problem',
          sentence: `The certificate in Secret ${placeOf(one)} is not signed by the CA of ${distrusting.map(({ source }) => source).join(' and ')}.`,
          evidence: [`Its issuer is ${leaf.issuer.replaceAll('\n', ', ')}.`],
          fix: renewal(one),
        },
      ]
}

function renewal(one: MountedCertificate): Fix {
  const { namespace, secret, certManagerName, labels } = one
  if (certManagerName !== undefined) {
    return readingFix(
      `Let cert-manager renew the Certificate ${namespace}/${certManagerName}, and see why it did not.`,
      kubectlCommand([certManagerName, namespace], 'describe', 'certificate', certManagerName, '-n', namespace),
    )
  }
  if (labels['app.kubernetes.io/managed-by'] === 'berth-authority') {
    return readingFix(
      'The authority renews the certificate: see why it did not.',
      kubectlCommand([namespace], 'logs', '-n', namespace, '--selector', 'app.kubernetes.io/component=authority'),
    )
  }
  const isOfChart = labels['app.kubernetes.io/part-of'] === 'berth'
  return readingFix(
    isOfChart
      ? 'Upgrade the release to a chart with the authority, which issues and renews the certificates.'
      : 'Replace the certificate with one of the CA that both sides trust, then restart the pods that mount it.',
    kubectlCommand([secret, namespace], 'get', 'secret', secret, '-n', namespace, '-o', 'jsonpath={.metadata}'),
    'Running pods keep the mounted certificates until they restart.',
  )
}
