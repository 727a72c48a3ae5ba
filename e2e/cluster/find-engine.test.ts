import { describe, expect, test } from 'vitest'
import { decideEngine, type EngineFacts } from './find-engine.ts'

const bare: EngineFacts = { answering: [], isLinux: true, isRoot: true, hasApt: true, hasDockerd: false }

describe('decideEngine', () => {
  test.for([
    ['Docker if both respond', { answering: ['podman', 'docker'] }, { kind: 'use', engine: 'docker' }],
    ['Podman if only Podman responds', { answering: ['podman'] }, { kind: 'use', engine: 'podman' }],
    [
      'a running engine on any system and for any user',
      { answering: ['docker'], isLinux: false, isRoot: false },
      { kind: 'use', engine: 'docker' },
    ],
    ['Debian’s engine, to be installed by root', {}, { kind: 'start' }],
    ['an installed dockerd', { hasApt: false, hasDockerd: true }, { kind: 'start' }],
  ] as const)('chooses %s', ([, change, decision]) => {
    expect(decideEngine({ ...bare, ...change })).toEqual(decision)
  })

  test.for([
    ['not Linux', { isLinux: false }, 'this system is not Linux'],
    ['not root', { isRoot: false }, 'this user is not root'],
    ['no packages', { hasApt: false }, 'neither dockerd nor apt-get is installed'],
  ] as const)('says what to install: %s', ([, change, obstacle]) => {
    const decision = decideEngine({ ...bare, ...change })
    expect(decision).toMatchObject({ kind: 'missing' })
    expect(decision).toHaveProperty('message', expect.stringContaining(obstacle))
    expect(decision).toHaveProperty('message', expect.stringContaining('Install Docker'))
  })
})
