import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseServingMode } from '../src/serving-mode.ts'
import { filesIn, selfSigned } from './test-certificates.ts'
import { post, startTestExtender } from './test-extender.ts'

const refusedConnection = /alert|disconnected|self-signed|hang up|ECONNRESET|EPIPE|unsupported/

test('accepts only TLS 1.3, and only allowed names of the CA, as common name or DNS name', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  try {
    const [server, caller] = await Promise.all(['server', 'node-7'].map((name) => selfSigned(name)))
    if (!server || !caller) throw new Error('no certificates')
    const flags = filesIn(dir, server, caller)
    const body = { Pod: { metadata: { name: 'web' }, spec: { containers: [] } }, NodeNames: [] }
    const tls = { ca: server.cert, ...caller }
    await using strict = await startTestExtender({ servingMode: chooseServingMode(flags) })
    const refused = await post(strict.address, '/filter', body, { tls })
    expect(refused.status).toBe(403)
    expect(refused.json()).toEqual({
      Error: 'forbidden: the client certificate is for node-7, and allowedClientNames has kube-scheduler',
    })
    await expect(post(strict.address, '/filter', body, { tls: { ...tls, maxVersion: 'TLSv1.2' } })).rejects.toThrow(
      refusedConnection,
    )
    await using open = await startTestExtender({
      servingMode: chooseServingMode(flags),
      allowedClientNames: ['node-7'],
    })
    expect((await post(open.address, '/filter', body, { tls })).status).toBe(200)
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('a DNS name of a certificate that contains the text of another name does not count as that name', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  try {
    const server = await selfSigned('server')
    const body = { Pod: { metadata: { name: 'web' }, spec: { containers: [] } }, NodeNames: [] }
    for (const { dnsName, status } of [
      { dnsName: 'x, DNS:kube-scheduler, DNS:y', status: 403 },
      { dnsName: 'x", DNS:kube-scheduler, DNS:"y', status: 403 },
      { dnsName: 'kube-scheduler', status: 200 },
    ]) {
      const caller = await selfSigned('node-7', [dnsName])
      await using extender = await startTestExtender({ servingMode: chooseServingMode(filesIn(dir, server, caller)) })
      const answer = await post(extender.address, '/filter', body, { tls: { ca: server.cert, ...caller } })
      expect({ dnsName, status: answer.status }).toEqual({ dnsName, status })
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
})

/** Sends one call over the connection of the agent and returns the status. */
function callOn(agent: Agent, address: string, body: unknown): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const call = request(`https://${address}/filter`, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}

test('accepts only callers with a certificate of the CA, and reloads rotated certificates', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-tls-'))
  try {
    const [server, caller, stranger, renewed] = await Promise.all(
      ['server', 'kube-scheduler', 'stranger', 'renewed'].map((name) => selfSigned(name)),
    )
    if (!server || !caller || !stranger || !renewed) throw new Error('no certificates')
    const flags = filesIn(dir, server, caller)
    await using extender = await startTestExtender({ servingMode: chooseServingMode(flags) })
    await extender.createNode('node-a', {})
    await extender.settle()
    const body = { Pod: { metadata: { name: 'web' }, spec: { containers: [] } }, NodeNames: ['node-a'] }
    const trusting = { ca: server.cert }

    const answer = await post(extender.address, '/filter', body, { tls: { ...trusting, ...caller } })
    expect(answer.json()).toMatchObject({ NodeNames: ['node-a'], Error: '' })
    await expect(post(extender.address, '/filter', body, { tls: trusting })).rejects.toThrow(
      /alert|disconnected|self-signed|hang up|ECONNRESET|EPIPE/,
    )
    await expect(post(extender.address, '/filter', body, { tls: { ...trusting, ...stranger } })).rejects.toThrow(
      /alert|disconnected|self-signed|hang up|ECONNRESET|EPIPE/,
    )

    filesIn(dir, renewed, caller)
    const agent = new Agent({ ...trusting, ...caller, keepAlive: true, maxSockets: 1 })
    const held = await callOn(agent, extender.address, body)
    await extender.clock.advance(30_000)
    // A connection from before the rotation still serves calls.
    expect([held, await callOn(agent, extender.address, body)]).toEqual([200, 200])
    agent.destroy()
    expect(extender.lines.map(({ message }) => message)).toContain('Reloaded certificates')
    const after = await post(extender.address, '/filter', body, { tls: { ca: renewed.cert, ...caller } })
    expect(after.json()).toMatchObject({ NodeNames: ['node-a'] })
    await expect(post(extender.address, '/filter', body, { tls: { ...trusting, ...caller } })).rejects.toThrow(
      /alert|disconnected|self-signed|hang up|ECONNRESET|EPIPE/,
    )

    writeFileSync(join(dir, 'tls.crt'), 'half a certif')
    await extender.clock.advance(30_000)
    const still = await post(extender.address, '/filter', body, { tls: { ca: renewed.cert, ...caller } })
    expect(still.json()).toMatchObject({ NodeNames: ['node-a'] })
  } finally {
    rmSync(dir, { recursive: true })
  }
})
