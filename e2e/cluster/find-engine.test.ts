import { describe, expect, test } from 'vitest'
import { decideEngine, type EngineFacts } from './find-engine.ts'

const bare: EngineFacts = { answering: [], isLinux: true, isRoot: true, hasApt: true, hasDockerd: false }

describe('decideEngine', () => {
  test.for([
    ['Docker where both answer', { answering: ['podman', 'docker'] }, { kind: 'use', engine: 'docker' }],
    ['Podman where it alone answers', { answering: ['podman'] }, { kind: 'use', engine: 'podman' }],
    [
      'one that answers, whoever asks',
      { answering: ['docker'], isLinux: false, isRoot: false },
      { kind: 'use', engine: 'docker' },
    ],
    ['Debian’s, installed by root', {}, { kind: 'start' }],
    ['the dockerd that is there', { hasApt: false, hasDockerd: true }, { kind: 'start' }],
  ] as const)('takes %s', ([, change, decision]) => {
    expect(decideEngine({ ...bare, ...change })).toEqual(decision)
  })

  test.for([
    ['not Linux', { isLinux: false }, 'this system is not Linux'],
    ['not root', { isRoot: false }, 'this user is not root'],
    ['no packages', { hasApt: false }, 'there is neither dockerd nor apt-get'],
  ] as const)('says what to install: %s', ([, change, obstacle]) => {
    const decision = decideEngine({ ...bare, ...change })
    expect(decision).toMatchObject({ kind: 'missing' })
    expect(decision).toHaveProperty('message', expect.stringContaining(obstacle))
    expect(decision).toHaveProperty('message', expect.stringContaining('Install Docker'))
  })
})
