import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram, type ProgramName } from '../run-bundle.ts'

// The bundle of the advertiser loads client-node from a second file.
test.for<[ProgramName, readonly string[]]>([
  ['advertiser', ['plan', '--config', 'advertiser.yaml']],
  ['kubectl-berth', ['capacity']],
])('the bundle of %s runs the credential plugin of a kubeconfig', async ([program, args]) => {
  const home = await mkdtemp(join(tmpdir(), 'berth-credential-plugin-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 't' } }
  await writeFile(join(home, 'plugin.sh'), `#!/bin/sh\necho ran > ran\necho '${JSON.stringify(credential)}'\n`, {
    mode: 0o755,
  })
  await writeFile(
    join(home, 'kubeconfig'),
    `current-context: main
clusters: [{ name: c, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: u, user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: ./plugin.sh } } }]
contexts: [{ name: main, context: { cluster: c, user: u } }]
`,
  )
  await writeFile(join(home, 'advertiser.yaml'), 'resources: []\n')
  const { ended } = startProgram(program, [...args, '--kubeconfig', 'kubeconfig'], { home })
  const { code, stderr } = await ended
  expect(stderr).toContain('127.0.0.1:1')
  expect(code).not.toBe(0)
  expect(await readFile(join(home, 'ran'), 'utf8')).toBe('ran\n')
})
