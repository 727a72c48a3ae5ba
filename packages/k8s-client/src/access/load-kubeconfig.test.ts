import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { KubeconfigError } from './kubeconfig-error.ts'
import { loadKubeconfig, type KubeconfigOptions } from './load-kubeconfig.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'berth-kubeconfig-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const write = (name: string, text: string): string => {
  const file = join(dir, name)
  writeFileSync(file, text)
  return file
}
const config = (user: string, cluster = '{ server: "https://10.0.0.1:6443/" }'): string => `
apiVersion: v1
kind: Config
current-context: main
clusters: [{ name: c, cluster: ${cluster} }]
users: [{ name: u, user: ${user} }]
contexts: [{ name: main, context: { cluster: c, user: u, namespace: team-a } }]
`
const pem = (text: string): string => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`
const load = (options: Partial<KubeconfigOptions> = {}) =>
  loadKubeconfig({ env: {}, home: join(dir, 'nobody'), ...options })
const caught = (task: () => unknown): KubeconfigError => {
  try {
    task()
  } catch (error) {
    if (error instanceof KubeconfigError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('where loadKubeconfig looks for a cluster', () => {
  test('looks at --kubeconfig, then KUBECONFIG, then the home directory, then the service account', () => {
    const path = write('path', config('{ token: t1 }'))
    const listed = write('listed', config('{ token: t2 }'))
    const home = join(dir, 'home')
    mkdirSync(join(home, '.kube'), { recursive: true })
    const standard = write('home/.kube/config', config('{ token: t3 }'))
    const env = { KUBECONFIG: listed }
    expect(load({ path, env, home }).source).toBe(path)
    expect(load({ env, home }).source).toBe(listed)
    expect(load({ home }).source).toBe(standard)
    const account = join(dir, 'account')
    mkdirSync(account)
    for (const [name, text] of [
      ['token', 'tok\n'],
      ['ca.crt', 'PEM'],
      ['namespace', 'ns\n'],
    ] as const)
      writeFileSync(join(account, name), text)
    const inCluster = {
      env: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' },
      serviceAccountDir: account,
    }
    expect(load(inCluster)).toMatchObject({
      source: 'service account',
      server: 'https://[fd00::1]:6443',
      namespace: 'ns',
      ca: 'PEM',
    })
    rmSync(join(account, 'ca.crt'))
    expect(caught(() => load(inCluster)).code).toBe('BERTH_KUBECONFIG_CREDENTIALS')
  })

  test('takes each entry from the first of several files that has it, and skips missing files', async () => {
    const first = write(
      'first',
      'current-context: main\ncontexts: [{ name: main, context: { cluster: c, user: u } }]\n',
    )
    const second = write('second', config('{ token: second }'))
    const access = load({ env: { KUBECONFIG: [join(dir, 'missing'), first, second].join(':') } })
    expect(access).toMatchObject({ source: `${first}, ${second}`, context: 'main', namespace: undefined })
    expect(await access.credentials()).toEqual({ headers: { authorization: 'Bearer second' } })
  })
})

describe('the content of a kubeconfig', () => {
  test('returns context, server, namespace, authority and verification', () => {
    const ca = write('ca.pem', pem('FILE CA'))
    const path = write(
      'k',
      config('{}', `{ server: "https://h:1", certificate-authority: ca.pem, tls-server-name: api }`),
    )
    expect(load({ path })).toMatchObject({
      server: 'https://h:1',
      ca: pem('FILE CA'),
      tlsServerName: 'api',
      skipTlsVerify: false,
      namespace: 'team-a',
    })
    rmSync(ca)
    expect(caught(() => load({ path }))).toMatchObject({
      code: 'BERTH_KUBECONFIG_INVALID',
      place: { key: 'clusters[c].cluster.certificate-authority' },
    })
    const data = Buffer.from(pem('DATA CA')).toString('base64')
    const inline = write(
      'i',
      config('{}', `{ server: "http://h:1/p/", certificate-authority-data: ${data}, insecure-skip-tls-verify: true }`),
    )
    expect(load({ path: inline })).toMatchObject({ server: 'http://h:1/p', ca: pem('DATA CA'), skipTlsVerify: true })
  })

  // client-go compares the length of each value with zero (tools/clientcmd and rest of client-go 0.36).
  test.for(['""', '~'])('treats a key of the cluster with the value %s as absent', (empty) => {
    write('ca.pem', pem('FILE CA'))
    const cluster = (keys: string): string =>
      config('{}', `{ server: "https://h", proxy-url: ${empty}, tls-server-name: ${empty}, ${keys} }`)
    const file = write('file', cluster(`certificate-authority-data: ${empty}, certificate-authority: ca.pem`))
    expect(load({ path: file })).toMatchObject({ ca: pem('FILE CA'), tlsServerName: undefined })
    expect(load({ path: file })).not.toHaveProperty('proxyUrl')
    const none = write('none', cluster(`certificate-authority-data: ${empty}, certificate-authority: ${empty}`))
    expect(load({ path: none }).ca).toBeUndefined()
  })

  test('treats an empty token file and an empty namespace as absent', async () => {
    const text = config('{ token: abc, tokenFile: "" }').replace('namespace: team-a', 'namespace: ""')
    const access = load({ path: write('k', text) })
    expect(access.namespace).toBeUndefined()
    expect(await access.credentials()).toEqual({ headers: { authorization: 'Bearer abc' } })
    expect(await load({ path: write('n', config('{ tokenFile: "" }')) }).credentials()).toEqual({ headers: {} })
  })

  test.for([
    ['{ token: abc }', { headers: { authorization: 'Bearer abc' } }],
    [
      '{ username: me, password: pw }',
      { headers: { authorization: `Basic ${Buffer.from('me:pw').toString('base64')}` } },
    ],
    ['{}', { headers: {} }],
  ] as const)('credentials of %s', async ([user, credentials]) => {
    expect(await load({ path: write('k', config(user)) }).credentials()).toEqual(credentials)
  })

  test('returns the credentials of a client certificate and key', async () => {
    const { cert, private: key } = await generate(undefined, { keyType: 'ec', curve: 'P-256' })
    const data = (text: string): string => Buffer.from(text).toString('base64')
    const user = `{ client-certificate-data: ${data(cert)}, client-key-data: ${data(key)} }`
    expect(await load({ path: write('k', config(user)) }).credentials()).toEqual({ headers: {}, cert, key })
  })

  test('gets a token from an exec plugin, and runs it again only on refresh', async () => {
    const plugin = write(
      'plugin.sh',
      `#!/bin/sh
echo x >> "${join(dir, 'runs')}"
n=$(wc -l < "${join(dir, 'runs')}" | tr -d ' ')
case "$KUBERNETES_EXEC_INFO" in *ExecCredential*) ;; *) exit 3;; esac
echo '{"kind":"ExecCredential","status":{"token":"'$EXTRA$n'"}}'
`,
    )
    chmodSync(plugin, 0o755)
    const user =
      '{ exec: { apiVersion: client.authentication.k8s.io/v1, command: ./plugin.sh, env: [{ name: EXTRA, value: t }] } }'
    const access = load({ path: write('k', config(user)) })
    expect(await access.credentials()).toEqual({ headers: { authorization: 'Bearer t1' } })
    expect(await access.credentials()).toEqual({ headers: { authorization: 'Bearer t1' } })
    expect(await access.credentials({ refresh: true })).toEqual({ headers: { authorization: 'Bearer t2' } })
  })

  test('reports the output of an exec plugin that fails', async () => {
    const user = '{ exec: { apiVersion: v1, command: sh, args: ["-c", "echo not logged in >&2; exit 1"] } }'
    const access = load({ path: write('k', config(user)) })
    await expect(access.credentials()).rejects.toMatchObject({
      code: 'BERTH_KUBECONFIG_CREDENTIALS',
      message: `use kubeconfig ${join(dir, 'k')}, context "main": users[u].user.exec: not logged in`,
      place: { file: join(dir, 'k'), context: 'main', key: 'users[u].user.exec' },
    })
  })

  test('reads a token file again after a minute or a 401, and keeps the old token if that fails', async () => {
    let nowMs = 0
    const file = write('token', 'one\n')
    const access = load({ path: write('k', config('{ tokenFile: token }')), now: () => nowMs })
    const token = async (refresh = false) => (await access.credentials({ refresh })).headers['authorization']
    expect(await token()).toBe('Bearer one')
    writeFileSync(file, 'two')
    nowMs = 59_000
    expect(await token()).toBe('Bearer one')
    expect(await token(true)).toBe('Bearer two')
    rmSync(file)
    nowMs = 180_000
    expect(await token()).toBe('Bearer two')
    writeFileSync(file, 'three')
    nowMs = 300_000
    expect(await Promise.all([token(), token()])).toEqual(['Bearer three', 'Bearer three'])
  })

  test('throws if a token file never existed', async () => {
    const access = load({ path: write('k', config('{ tokenFile: nowhere }')) })
    await expect(access.credentials()).rejects.toMatchObject({
      code: 'BERTH_KUBECONFIG_CREDENTIALS',
      message: expect.stringMatching(
        /^use kubeconfig \S+, context "main": users\[u\]\.user\.tokenFile: read token file \S+nowhere: ENOENT/,
      ) as string,
    })
  })

  test('reads a client certificate again when its file was missing', async () => {
    const { cert, private: key } = await generate(undefined, { keyType: 'ec', curve: 'P-256' })
    const user = `{ client-certificate: late.pem, client-key-data: ${Buffer.from(key).toString('base64')} }`
    const access = load({ path: write('k', config(user)) })
    await expect(access.credentials()).rejects.toThrow('ENOENT')
    write('late.pem', cert)
    expect(await access.credentials()).toEqual({ headers: {}, cert, key })
  })

  test.for([
    [
      'is not PEM',
      '{ client-certificate-data: Q0VSVA==, client-key-data: S0VZ }',
      '.client-certificate and client-key: ',
    ],
    ['is not there', '{ client-certificate: gone.pem, client-key: gone.pem }', '.client-certificate: ENOENT'],
  ] as const)('a client certificate that %s is named by file, context and key', async ([, user, says]) => {
    const access = load({ path: write('k', config(user)) })
    const error: unknown = await access.credentials().catch((failure: unknown) => failure)
    expect(error).toMatchObject({ code: 'BERTH_KUBECONFIG_CREDENTIALS', place: { context: 'main' } })
    expect(String(error)).toContain(`use kubeconfig ${join(dir, 'k')}, context "main": users[u].user${says}`)
  })
})

describe('an unusable kubeconfig is reported in one line with a hint', () => {
  const good = config('{}')
  test.for([
    { it: 'malformed YAML', text: 'clusters: [', code: 'BERTH_KUBECONFIG_INVALID', says: /^read kubeconfig \S+: / },
    { it: 'not an object', text: 'hello', code: 'BERTH_KUBECONFIG_INVALID', says: /is not a YAML object$/ },
    {
      it: 'no server',
      text: config('{}', '{ server: "" }'),
      code: 'BERTH_KUBECONFIG_INVALID',
      says: /clusters\[0\]\.cluster\.server is missing$/,
    },
    {
      it: 'a server that is not a URL',
      text: config('{}', '{ server: nowhere }'),
      code: 'BERTH_KUBECONFIG_INVALID',
      says: /^use kubeconfig \S+, context "main": clusters\[c\]\.cluster\.server: is not a URL: "nowhere"$/,
    },
    {
      it: 'a server with a user and a password',
      text: config('{}', '{ server: "https://me:secret@h" }'),
      code: 'BERTH_KUBECONFIG_INVALID',
      says: /: clusters\[c\]\.cluster\.server: contains a user or a password$/,
    },
    {
      it: 'a server that is not a URL and has a password',
      text: config('{}', '{ server: "https://me:secret@h:x" }'),
      code: 'BERTH_KUBECONFIG_INVALID',
      says: /: is not a URL: "https:\/\/…@h:x"$/,
    },
    {
      it: 'a server with a password and without a protocol',
      text: config('{}', '{ server: "me:secret@h" }'),
      code: 'BERTH_KUBECONFIG_INVALID',
      says: /: has an unknown protocol: "…@h"$/,
    },
    {
      it: 'an unknown protocol',
      text: config('{}', '{ server: "ftp://h" }'),
      code: 'BERTH_KUBECONFIG_INVALID',
      says: /unknown protocol/,
    },
    {
      it: 'a proxy with an unsupported protocol',
      text: config('{}', '{ server: "https://h", proxy-url: "socks4://me:secret@p" }'),
      code: 'BERTH_KUBECONFIG_INVALID',
      says: /, context "main": clusters\[c\]\.cluster\.proxy-url: uses "socks4:\/\/", but only http, https and socks5 are supported$/,
    },
    {
      it: 'a proxy that is not a URL',
      text: config('{}', '{ server: "https://h", proxy-url: "p:x:y" }'),
      code: 'BERTH_KUBECONFIG_INVALID',
      says: /proxy-url: (?:is not a URL|uses .* supported)/,
    },
    {
      it: 'an authority that is not a certificate',
      text: config('{}', '{ server: "https://h", certificate-authority-data: S0VZ }'),
      code: 'BERTH_KUBECONFIG_INVALID',
      says: /, context "main": clusters\[c\]\.cluster\.certificate-authority-data: does not contain a PEM certificate$/,
    },
    {
      it: 'no current context',
      text: good.replace('current-context: main', ''),
      code: 'BERTH_KUBECONFIG_CONTEXT',
      says: /current-context: is not set$/,
    },
    {
      it: 'an unknown current context',
      text: good.replace('current-context: main', 'current-context: x'),
      code: 'BERTH_KUBECONFIG_CONTEXT',
      says: /, context "x": the context does not exist$/,
    },
    {
      it: 'an unknown cluster',
      text: good.replace('cluster: c, user', 'cluster: d, user'),
      code: 'BERTH_KUBECONFIG_CONTEXT',
      says: /, context "main": contexts\[main\]\.context\.cluster: the cluster "d" does not exist$/,
    },
    {
      it: 'an unknown user',
      text: good.replace('user: u, namespace', 'user: v, namespace'),
      code: 'BERTH_KUBECONFIG_CONTEXT',
      says: /, context "main": contexts\[main\]\.context\.user: the user "v" does not exist$/,
    },
    {
      it: 'an empty kubeconfig',
      text: 'kind: Config',
      code: 'BERTH_KUBECONFIG_CONTEXT',
      says: /current-context: is not set$/,
    },
  ])('$it', ({ text, code, says }) => {
    const path = write('k', text)
    const error = caught(() => load({ path }))
    expect(error).toMatchObject({ code, place: { file: path } })
    expect(error.message).toMatch(says)
    expect(error.message).not.toContain('\n')
    expect(error.hint).toBeDefined()
  })

  test('names missing files, and the contexts that exist', () => {
    const path = join(dir, 'missing')
    expect(caught(() => load({ path }))).toMatchObject({
      code: 'BERTH_KUBECONFIG_MISSING',
      message: `read kubeconfig ${path}: no such file`,
    })
    expect(caught(() => load({ env: { KUBECONFIG: path } })).message).toContain(
      'none of the files in KUBECONFIG exists',
    )
    expect(caught(() => load()).message).toContain('no such file, and this process does not run in a pod')
    expect(caught(() => load({ path: dir })).code).toBe('BERTH_KUBECONFIG_MISSING')
    expect(caught(() => load({ path: write('k', good), context: 'x' })).hint).toBe('Available contexts: main.')
  })
})
