import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadKubeconfig } from '../../src/access/load-kubeconfig.ts'
import type { ClusterAccess } from '../../src/access/cluster-access.ts'
import { KubeconfigError } from '../../src/access/kubeconfig-error.ts'

const file = join(mkdtempSync(join(tmpdir(), 'berth-fuzz-')), 'config')

export const contract: string =
  'The server is an https or http URL without a user or a password, and context and namespace are texts.'
export const refusals: readonly unknown[] = [KubeconfigError]
export const dictionary: readonly string[] = [
  'clusters:',
  'contexts:',
  'users:',
  'current-context: ',
  'cluster:',
  'server: ',
  'https://',
  'proxy-url: ',
  'socks5://',
  'user:',
  'token: ',
  'tokenFile: ',
  'exec:',
  'command: ',
  'args:',
  'env:',
  'certificate-authority-data: ',
  'insecure-skip-tls-verify: true',
  'tls-server-name: ',
  'client-certificate-data: ',
  'namespace: ',
  'username: ',
  'password: ',
  'name: ',
  '- ',
  '&a ',
  '*a',
  '<<: *a',
  'auth-provider:',
]

export function parse(input: Uint8Array): ClusterAccess {
  writeFileSync(file, input)
  return loadKubeconfig({ path: file, env: {}, home: '/', now: () => 0 })
}

export function verify({ server, context, namespace, source }: ClusterAccess): void {
  const { protocol, username, password } = new URL(server)
  assert.match(protocol, /^https?:$/)
  assert.deepEqual([username, password], ['', ''])
  for (const text of [server, context, source]) assert.equal(typeof text, 'string')
  assert.ok(namespace === undefined || typeof namespace === 'string', `the namespace is a ${typeof namespace}`)
}
