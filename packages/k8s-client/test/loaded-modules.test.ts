import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'berth-loaded-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

/** Reads the credentials of a kubeconfig in a process of its own. Returns the modules of client-node that it loaded. */
function loadedFor(user: string): readonly string[] {
  const path = join(dir, 'kubeconfig')
  writeFileSync(
    path,
    `current-context: main
clusters: [{ name: c, cluster: { server: "https://10.0.0.1:6443" } }]
users: [{ name: u, user: ${user} }]
contexts: [{ name: main, context: { cluster: c, user: u } }]
`,
  )
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { loadKubeconfig } = await import('@berth/k8s-client')
    await loadKubeconfig({ path: ${JSON.stringify(path)}, env: {}, home: '/' }).credentials().catch(() => undefined)
    console.log(JSON.stringify(loaded))`
  const argv = ['-C', '@berth/source', '--input-type=module', '-e', program]
  const { stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', cwd: import.meta.dirname })
  expect(stderr).toBe('')
  const urls = JSON.parse(stdout) as readonly string[]
  return urls.flatMap((url) => /client-node\/dist\/(.*)$/.exec(url)?.[1] ?? [])
}

test.for(['{ token: abc }', '{ username: me, password: pw }', '{}'])(
  'does not load the client of client-node for a user with %s, because it costs 20 MB',
  (user) => {
    expect(loadedFor(user)).toEqual(['config_types.js'])
  },
)

test('loads the client of client-node for a user with a credential plugin', () => {
  expect(loadedFor('{ exec: { apiVersion: client.authentication.k8s.io/v1, command: "true" } }')).toContain('config.js')
})
