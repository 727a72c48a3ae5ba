import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'

/** Files by name, relative to the working directory of the programs. */
const files: Readonly<Record<string, string>> = {
  'empty.yaml': '',
  'syntax.yaml': 'resources:\n  - name: [example.com/dongle\nlogLevel: info\n',
  'list.yaml': '- resources\n',
  'prototype.yaml': '__proto__:\n  polluted: true\n',
  'unknown-advertiser.yaml': 'resources:\n  - name: example.com/dongle\n    unitz: 4\n    nodes: { names: [node-1] }\n',
  'unknown-device-plugin.yaml':
    'resources:\n  - name: example.com/seat\n    sauce: count\n    source: count\n    args: { count: 1 }\n',
  'unknown-extender.yaml': 'plugins:\n  - name: NodeResourcesFit\n    wieght: 2\n',
  'unknown-scheduler.yaml': 'profiles:\n  - schedulerNam: mine\n',
  'type-advertiser.yaml': 'resources: 4\n',
  'type-device-plugin.yaml': 'resources:\n  - name: 4\n    source: count\n    args: { count: 1 }\n',
  'type-extender.yaml': 'maxViewAgeSeconds: soon\n',
  'type-scheduler.yaml': 'profiles: mine\n',
  'huge-advertiser.yaml': 'kubeApiQps: 1e400\n',
  'huge-device-plugin.yaml': 'resources:\n  - name: example.com/seat\n    source: count\n    args: { count: 1e30 }\n',
  'huge-extender.yaml': 'kubeApiBurst: 1e400\n',
  'huge-scheduler.yaml': 'clientConnection: { qps: 1e400 }\n',
  'nobody-advertiser.yaml':
    'resources:\n  - name: example.com/dongle\n    source: { plugin: nobody }\n    nodes: { names: [node-1] }\n',
  'nobody-device-plugin.yaml': 'resources:\n  - name: example.com/seat\n    source: cuont\n',
  'nobody-extender.yaml': 'plugins: [{ name: chaos-dcie }]\n',
  'nobody-scheduler.yaml': 'profiles:\n  - plugins: { score: { enabled: [{ name: chaos-dcie }] } }\n',
  'good-advertiser.yaml': 'resources:\n  - name: example.com/dongle\n    units: 4\n    nodes: { names: [node-1] }\n',
  'good-device-plugin.yaml': 'resources:\n  - name: example.com/seat\n    source: count\n    args: { count: 1 }\n',
  'good-extender.yaml': 'insecureHttp: true\nlisten: 127.0.0.1:0\n',
  'good-scheduler.yaml': 'leaderElection: { leaderElect: true }\n',
  'no-election.yaml': 'leaderElection: { leaderElect: false }\n',
  'plugin-syntax/broken.mjs': 'export const plugin = {\n',
  'plugin-version/old.mjs': "export const plugin = { kind: 'scheduling', apiVersion: 99, name: 'old' }\n",
  'plugin-package/no-manifest/index.js': '',
  'kube-empty': '',
  'kube-syntax': 'contexts: [\n',
  'kube-html': '<html>\n',
  'kube-no-server': kubeconfig({ cluster: {} }),
  'kube-context': kubeconfig({ current: 'nowhere' }),
  'kube-refused': kubeconfig({ cluster: { server: 'https://127.0.0.1:1' } }),
}

/** Addresses of servers that reject all requests, for the kubeconfigs. */
export interface Servers {
  /** Serves HTTPS with its own certificate authority and requires a token. */
  readonly secured: string
  /** Answers every request with 403. */
  readonly forbidding: string
  /** An occupied address. */
  readonly busyPort: number
}

/** Writes the bad files, and the few valid ones that the cases need, into a directory. */
export async function writeBadFiles(dir: string, { secured, forbidding }: Servers): Promise<void> {
  const other = Buffer.from(rootCertificates[0] ?? '').toString('base64')
  const all = {
    ...files,
    'kube-token': kubeconfig({ cluster: { server: secured, 'insecure-skip-tls-verify': true } }),
    'kube-authority': kubeconfig({ cluster: { server: secured, 'certificate-authority-data': other } }),
    'kube-forbidden': kubeconfig({ cluster: { server: forbidding } }),
  }
  for (const [name, text] of Object.entries(all)) {
    await mkdir(join(dir, name, '..'), { recursive: true })
    await writeFile(join(dir, name), text)
  }
  await mkdir(join(dir, 'sockets'))
}

function kubeconfig({
  cluster = { server: 'https://127.0.0.1:1' },
  current = 'here',
}: {
  readonly cluster?: Readonly<Record<string, unknown>>
  readonly current?: string
}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 'expired' } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    'current-context': current,
  })
}
