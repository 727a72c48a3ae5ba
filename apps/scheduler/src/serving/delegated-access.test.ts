import type { ResourceRef, WriteOptions } from '@berth/k8s-client'
import { type KubernetesObject, silentLogger } from '@berth/types'
import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ClientAuthorities } from './client-authorities.ts'
import { createDelegatedAccess } from './delegated-access.ts'
import { createCertificate } from './serving-certificate.ts'

const token = (text: string | undefined, { signal } = new AbortController(), address = '127.0.0.1') => ({
  path: '/metrics',
  token: text,
  address,
  clientCertificate: undefined,
  headers: {},
  isLoopback: true,
  signal,
})

/** An API server that knows the token `good` of the user `monitor`, who may read /metrics. */
function start(authorities: ClientAuthorities = {}) {
  const asked: string[] = []
  let nowMs = 0
  let isDown = false
  const aborted: unknown[] = []
  let answering = Promise.resolve()
  const create = async <T extends KubernetesObject>(
    { kind }: ResourceRef,
    object: T,
    { signal }: WriteOptions = {},
  ): Promise<T> => {
    if (isDown) throw new Error('no answer')
    const { spec } = object as T & { spec: { token?: string; user?: string; groups?: readonly string[] } }
    asked.push(`${kind} ${spec.token ?? `${spec.user} ${spec.groups?.join(' ')}`}`)
    await new Promise<void>((resolve, reject) => {
      void answering.then(resolve)
      signal?.addEventListener('abort', () => {
        aborted.push(spec.token)
        reject(new Error('aborted'))
      })
    })
    const isReview = kind === 'TokenReview'
    const user = { username: 'monitor', groups: ['system:authenticated'] }
    const status = isReview ? { authenticated: spec.token === 'good', user } : { allowed: spec.user === 'monitor' }
    return { ...object, status }
  }
  const access = createDelegatedAccess({
    authentication: { create },
    authorization: { create },
    authorities: () => authorities,
    clock: { monotonic: () => nowMs },
    log: silentLogger,
  })
  const silence = (): (() => void) => {
    const silent = Promise.withResolvers<void>()
    answering = silent.promise
    return silent.resolve
  }
  return {
    access,
    asked,
    aborted,
    silence,
    pass: (ms: number) => (nowMs += ms),
    break: () => (isDown = true),
    repair: () => (isDown = false),
  }
}

describe('createDelegatedAccess', () => {
  test('admits the user of a token that may read the path', async () => {
    const { access, asked } = start()
    expect(await access(token('good'))).toBeUndefined()
    expect(asked).toEqual(['TokenReview good', 'SubjectAccessReview monitor system:authenticated'])
  })

  test('refuses an unknown token with 401', async () => {
    expect(await start().access(token('bad'))).toMatchObject({ status: 401 })
  })

  test('decides about a request without a token as about system:anonymous', async () => {
    const { access, asked } = start()
    expect(await access(token(undefined))).toMatchObject({
      status: 403,
      reason: expect.stringContaining('"system:anonymous" cannot get path "/metrics"') as string,
    })
    expect(asked).toEqual(['SubjectAccessReview system:anonymous system:unauthenticated'])
  })

  test('asks again after ten seconds', async () => {
    const { access, asked, pass } = start()
    await access(token('good'))
    pass(9_999)
    await access(token('good'))
    expect(asked).toHaveLength(2)
    pass(1)
    await access(token('good'))
    expect(asked).toHaveLength(4)
  })

  test('refuses while the API server does not answer', async () => {
    const down = start()
    down.break()
    expect(await down.access(token('good'))).toMatchObject({ status: 500 })
    const up = start()
    expect(await up.access(token('good'))).toBeUndefined()
  })

  test('asks once about equal requests that arrive together', async () => {
    const { access, asked } = start()
    expect(await Promise.all([access(token('good')), access(token('good'))])).toEqual([undefined, undefined])
    expect(asked).toHaveLength(2)
  })

  test('drops the oldest answer above 1000 answers', async () => {
    const { access, asked } = start()
    const askOthers = async (from: number): Promise<void> => {
      for (let i = from; i < from + 600; i++) await access({ ...token(undefined), path: `/page-${i}` })
    }
    await askOthers(0)
    await access(token('good'))
    await askOthers(600)
    asked.length = 0
    await access(token('good'))
    expect(asked).toEqual([])
  })

  test('refuses with 429 above 40 reviews in flight, and answers again once they end', async () => {
    const { access, silence } = start()
    const release = silence()
    const flood = Array.from({ length: 20_000 }, (_, i) =>
      access(token(`unknown ${i}`, new AbortController(), `10.0.0.${i % 100}`)),
    )
    expect(await access(token('good'))).toMatchObject({ status: 429 })
    release()
    const statuses = (await Promise.all(flood)).map((refusal) => refusal?.status)
    expect(statuses.filter((status) => status !== 429)).toHaveLength(40)
    expect(await access(token('good'))).toBeUndefined()
  })

  test('answers callers at other addresses and known tokens while one address sends unknown tokens', async () => {
    const { access, asked, pass } = start()
    const from = (text: string, address: string) => access(token(text, new AbortController(), address))
    expect(await from('good', '10.0.0.1')).toBeUndefined()
    pass(10_000)
    asked.length = 0
    for (let i = 0; i < 1_000; i++) await from(`unknown ${i}`, '10.0.0.1')
    expect(asked).toHaveLength(10)
    expect(await from('new', '10.0.0.1')).toMatchObject({ status: 429 })
    expect(await from('good', '10.0.0.1')).toBeUndefined()
    expect(await from('bad', '10.0.0.2')).toMatchObject({ status: 401 })
    pass(10_000)
    expect(await from('new', '10.0.0.1')).toMatchObject({ status: 401 })
  })

  test('a token that came with a client certificate has no advantage over unknown tokens', async () => {
    const { cert } = await createCertificate(Date.now())
    const { fingerprint256 } = new X509Certificate(cert)
    const { access } = start({ clientCa: cert })
    const clientCertificate = {
      commonName: 'monitor',
      organizations: [],
      fingerprint256,
      rootFingerprint256: fingerprint256,
    }
    expect(await access({ ...token('made up'), clientCertificate })).toBeUndefined()
    for (let i = 0; i < 10; i++) await access(token(`unknown ${i}`))
    expect(await access(token('made up'))).toMatchObject({ status: 429 })
  })

  test('uses at most ten reviews in flight for one address', async () => {
    const { access, silence } = start()
    const release = silence()
    const flood = Array.from({ length: 50 }, (_, i) => access(token(`unknown ${i}`, new AbortController(), '10.0.0.1')))
    const other = access(token('good', new AbortController(), '10.0.0.2'))
    release()
    const statuses = (await Promise.all(flood)).map((refusal) => refusal?.status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(await other).toBeUndefined()
  })

  test('does not repeat a failed review for a second', async () => {
    const { access, break: breakDown, pass, repair } = start()
    breakDown()
    expect(await access(token('good'))).toMatchObject({ status: 500 })
    repair()
    expect(await access(token('good'))).toMatchObject({ status: 500 })
    pass(1_000)
    expect(await access(token('good'))).toBeUndefined()
  })

  test('ends a review when all its callers have left, so that it counts no longer', async () => {
    const { access, silence, aborted } = start()
    silence()
    const leaving = [new AbortController(), new AbortController()] as const
    const left = leaving.map((caller) => access(token('good', caller)))
    leaving[0].abort()
    expect(aborted).toEqual([])
    leaving[1].abort()
    expect(aborted).toEqual(['good'])
    expect(await Promise.all(left)).toMatchObject([{ status: 500 }, { status: 500 }])
    const flood = Array.from({ length: 40 }, () => new AbortController())
    const refused = flood.map((caller, i) => access(token(`unknown ${i}`, caller, `10.0.0.${i}`)))
    for (const caller of flood) caller.abort()
    expect((await Promise.all(refused)).map((refusal) => refusal?.status)).not.toContain(429)
  })
})
