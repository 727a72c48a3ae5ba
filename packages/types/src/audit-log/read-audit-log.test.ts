import { describe, expect, test } from 'vitest'
import { AuditLineError, type NumberedAuditEvent, readAuditLog } from './read-audit-log.ts'

const write = {
  stage: 'ResponseComplete',
  verb: 'create',
  requestURI: '/api/v1/namespaces/default/pods',
  requestReceivedTimestamp: '2026-01-01T00:00:00.5Z',
  user: { username: 'alice' },
  userAgent: 'kubectl',
  objectRef: { resource: 'pods', namespace: 'default', name: 'a' },
  responseStatus: { code: 201 },
  requestObject: { kind: 'Pod' },
}

async function read(...lines: readonly unknown[]): Promise<readonly NumberedAuditEvent[]> {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  return await Array.fromAsync(readAuditLog(texts))
}

describe('readAuditLog', () => {
  test('returns the events with the numbers of their lines, without empty lines', async () => {
    expect(await read('', write, '  \r', write)).toMatchObject([
      {
        line: 2,
        event: {
          timeMs: Date.UTC(2026, 0, 1, 0, 0, 0, 500),
          verb: 'create',
          username: 'alice',
          userAgent: 'kubectl',
          objectRef: { apiGroup: '', resource: 'pods', subresource: '', namespace: 'default', name: 'a' },
          requestObject: { kind: 'Pod' },
          responseObject: undefined,
          isStoredWrite: true,
        },
      },
      { line: 4 },
    ])
  })

  test.for([
    ['a read', { verb: 'list' }],
    ['a refused request', { responseStatus: { code: 409 } }],
    ['a dry run', { requestURI: '/api/v1/nodes?fieldManager=x&dryRun=All' }],
    ['an earlier stage', { stage: 'RequestReceived' }],
  ] as const)('does not count %s as a stored write', async ([, more]) => {
    expect(await read({ ...write, ...more })).toMatchObject([{ event: { isStoredWrite: false } }])
  })

  test.for([
    ['without a stage', { stage: undefined }],
    ['without a status', { responseStatus: null }],
    ['with a status of another type', { responseStatus: { code: '409' } }],
  ] as const)('counts a write %s', async ([, more]) => {
    expect(await read({ ...write, ...more })).toMatchObject([{ event: { isStoredWrite: true } }])
  })

  test('takes a member of another type as missing', async () => {
    const more = { verb: 5, user: [], objectRef: { resource: {}, name: null } }
    expect(await read({ ...write, ...more })).toMatchObject([
      { event: { verb: '', username: '', objectRef: { resource: '', name: '' }, isStoredWrite: false } },
    ])
    expect(await read({ ...write, objectRef: 'pods' })).toMatchObject([{ event: { objectRef: undefined } }])
  })

  test.for([
    ['no', 'line 2 is not JSON'],
    ['[]', 'line 2 is not an object'],
    ['null', 'line 2 is not an object'],
    ['{"verb":"create"}', 'line 2 has no requestReceivedTimestamp'],
    ['{"requestReceivedTimestamp":{"toString":1}}', 'line 2 has no requestReceivedTimestamp'],
  ] as const)('refuses %j: %s', async ([line, message]) => {
    await expect(read(write, line)).rejects.toThrow(new AuditLineError(message))
  })
})
