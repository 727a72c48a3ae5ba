import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { describe, expect, onTestFinished, test } from 'vitest'
import { jsonServer, type Answer, type JsonServer } from './json-server.ts'
import { testSource } from '@berth/source-kit/testing'
import { httpJson } from '../src/http-json.ts'
import { readCredentials } from '../src/http/read-credentials.ts'

/** Writes the files of a Secret into a new directory. */
function secret(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'berth-credentials-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}

describe('readCredentials', () => {
  test.for([
    { it: 'a token', files: { token: 'abc\n' }, reads: { authorization: 'Bearer abc' } },
    {
      it: 'a user',
      files: { username: 'me', password: 'p:w\n' },
      reads: { authorization: `Basic ${btoa('me:p:w')}` },
    },
    { it: 'an authority', files: { 'ca.crt': 'CA' }, reads: { ca: 'CA' } },
    { it: 'a client certificate', files: { 'tls.crt': 'C', 'tls.key': 'K' }, reads: { cert: 'C', key: 'K' } },
  ])('reads $it', async ({ files, reads }) => {
    expect(await readCredentials(secret(files as unknown as Record<string, string>))).toEqual(reads)
  })

  test.for([
    { it: 'an empty directory', files: {}, says: 'expected one of the files token, username' },
    { it: 'a user without a password', files: { username: 'me' }, says: 'has only one of username and password' },
    { it: 'a key without a certificate', files: { 'tls.key': 'K' }, says: 'has only one of tls.crt and tls.key' },
  ])('refuses $it', async ({ files, says }) => {
    await expect(readCredentials(secret(files as unknown as Record<string, string>))).rejects.toThrow(says)
  })

  test('refuses what is not a file', async () => {
    const directory = secret({})
    mkdirSync(join(directory, 'token'))
    await expect(readCredentials(directory)).rejects.toThrow('EISDIR')
  })
})

describe('a server with TLS', () => {
  const started = async (
    answer: Answer = { free: 3 },
  ): Promise<{ readonly server: JsonServer; readonly ca: string }> => {
    const altNames = [{ type: 7, ip: '127.0.0.1' } as const]
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'test' }], {
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames },
      ],
    })
    const server = await jsonServer(
      () => answer,
      (handler) => createTlsServer({ cert, key }, handler) as never,
    )
    return { server, ca: cert }
  }

  test('is trusted through ca.crt, and gets the token, which may change between two requests', async () => {
    const { server, ca } = await started()
    await using _server = server
    const credentialsDir = secret({ 'ca.crt': ca, token: 'first' })
    const args = { url: `${server.origin}/{node}`, pointer: '/free' }
    const source = testSource(httpJson, args, { origins: [{ origin: server.origin, credentialsDir }] })
    expect((await source.compute()).units).toBe(3)
    writeFileSync(join(credentialsDir, 'token'), 'second')
    await source.compute()
    expect(server.requests.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second'])
  })

  test.for([
    { it: 'a token', files: { token: 'tok-en' }, sent: 'Bearer tok-en', hidden: 'tok-en' },
    { it: 'a password', files: { username: 'me', password: 'p' }, sent: 'Basic bWU6cA==', hidden: 'bWU6cA==' },
  ])('that repeats $it in its error does not bring it into the message', async ({ files, sent, hidden }) => {
    const { server, ca } = await started((response) => void response.writeHead(401, hidden).end(`refused: ${sent}`))
    await using _server = server
    const credentialsDir = secret({ 'ca.crt': ca, ...files })
    const args = { url: server.origin, pointer: '/free' }
    const query = testSource(httpJson, args, { origins: [{ origin: server.origin, credentialsDir }] }).compute()
    await expect(query).rejects.toThrow(`the server answered 401 ***: refused: ${sent.replace(hidden, '***')}`)
    expect(server.requests).toMatchObject([{ authorization: sent }])
  })

  test('is refused when no known authority signed it', async () => {
    const { server } = await started()
    await using _server = server
    const source = testSource(httpJson, { url: server.origin, pointer: '/free' }, { origins: [server] })
    await expect(source.compute()).rejects.toThrow(/self-signed certificate/)
    expect(server.requests).toEqual([])
  })
})
