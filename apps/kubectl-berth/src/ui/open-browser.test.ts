import { describe, expect, test } from 'vitest'
import { hasScreen, openBrowser, openCommand } from './open-browser.ts'

describe('hasScreen', () => {
  test.for<readonly [expected: boolean, ...desktop: Parameters<typeof hasScreen>]>([
    [true, { platform: 'linux', env: { DISPLAY: ':0' } }],
    [true, { platform: 'linux', env: { WAYLAND_DISPLAY: 'wayland-0' } }],
    [false, { platform: 'linux', env: {} }],
    [false, { platform: 'linux', env: { DISPLAY: '' } }],
    [false, { platform: 'linux', env: { DISPLAY: 'localhost:10.0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' } }],
    [true, { platform: 'darwin', env: {} }],
    [true, { platform: 'win32', env: {} }],
  ])('is %s for %o', ([expected, desktop]) => {
    expect(hasScreen(desktop)).toBe(expected)
  })
})

describe('openBrowser', () => {
  test('passes the address as one argument, never through a shell', () => {
    const url = 'http://127.0.0.1:1/#code=a&b'
    for (const platform of ['linux', 'darwin', 'win32'] as const) expect(openCommand(platform, url)).toContain(url)
  })

  test('says when there is no such program', async () => {
    // Linux has no rundll32, and other systems have no xdg-open.
    expect(await openBrowser(process.platform === 'win32' ? 'linux' : 'win32', 'http://127.0.0.1:1/')).toBe(false)
  })
})
