import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { pemCertificates } from '@berth/process/certificates'
import { errorText } from '@berth/text/error-text'
import type { KubernetesObject } from '@berth/types'
import { secrets } from '../facts/resource-refs.ts'
import type { CommandContext } from '../cli/command.ts'
import { CommandError, UsageError } from '../errors.ts'

/** The files of a client certificate, with the permissions of each. */
const FILES = { 'ca.crt': 0o644, 'tls.key': 0o600, 'tls.crt': 0o644 } as const

type FileName = keyof typeof FILES

/**
 * Copies the Secret of a client certificate into the files that a kube-scheduler reads on this host. Each file is replaced
 * at once, so that no reader sees half of one.
 *
 * @param place - The Secret as NAMESPACE/NAME.
 * @throws UsageError BERTH_KUBECTL_USAGE; CommandError BERTH_KUBECTL_RENEW
 */
export async function renewFiles(
  place: string,
  dir: string,
  { terminal, connect, stop }: Pick<CommandContext, 'terminal' | 'connect' | 'stop'>,
): Promise<void> {
  const [namespace = '', name = '', ...more] = place.split('/')
  if (namespace === '' || name === '' || more.length > 0) {
    throw new UsageError(`read --renew ${place}: expected NAMESPACE/SECRET`, 'Run: kubectl berth wire --help')
  }
  await using session = await connect()
  const secret = await session.cluster.client.get<KubernetesObject & { readonly data?: Record<string, string> }>(
    secrets,
    { namespace, name },
    { signal: stop },
  )
  const text = (key: FileName): string => Buffer.from(secret.data?.[key] ?? '', 'base64').toString()
  const certificate = checkedCertificate(place, { cert: text('tls.crt'), key: text('tls.key'), ca: text('ca.crt') })
  const names = Object.keys(FILES) as readonly FileName[]
  const changed: FileName[] = []
  for (const key of names) if ((await oldText(join(dir, key))) !== text(key)) changed.push(key)
  try {
    // kube-scheduler reads certificate and key one after the other: the time between their replacements must be short.
    for (const key of changed) {
      // An interrupted run may have left it with other permissions.
      await rm(newPath(dir, key), { force: true })
      await writeFile(newPath(dir, key), text(key), { mode: FILES[key], flag: 'wx' })
    }
    for (const key of changed) await rename(newPath(dir, key), join(dir, key))
  } catch (error) {
    throw renewError(
      `write into ${dir}: ${errorText(error)}`,
      'Create the directory, and run the command as root.',
      error,
    )
  }
  const until = `valid until ${certificate.validToDate.toISOString()}`
  terminal.out(
    changed.length === 0 ? `${dir} is up to date, ${until}.\n` : `Wrote ${changed.join(', ')} in ${dir}, ${until}.\n`,
  )
  if (changed.includes('ca.crt')) {
    terminal.note(
      'The authorities have changed. Restart kube-scheduler, because it reads ca.crt only when it starts.\n',
    )
  }
}

function newPath(dir: string, key: FileName): string {
  return join(dir, `.${key}.new`)
}

function checkedCertificate(
  place: string,
  { cert, key, ca }: { readonly cert: string; readonly key: string; readonly ca: string },
): X509Certificate {
  const [certificate] = pemCertificates(cert)
  if (certificate === undefined || pemCertificates(ca).length === 0 || !belongs(certificate, key)) {
    throw renewError(
      `read Secret ${place}: it does not hold a certificate with its key and its authorities`,
      'Name the Secret of the client, for example berth-system/berth-authority-client.',
    )
  }
  return certificate
}

function belongs(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

async function oldText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}

function renewError(message: string, hint: string, cause?: unknown): CommandError {
  return new CommandError(`renew certificates: ${message}`, { code: 'BERTH_KUBECTL_RENEW', hint, cause })
}
