import { spawn } from 'node:child_process'

/** The browser of the user. */
export interface Browser {
  /** Whether there is a screen on which a browser would show a page. */
  readonly hasScreen: boolean
  /** Opens an address; resolves to whether that worked. */
  open(url: string): Promise<boolean>
}

/** The parts of `process` that decide how a browser opens. */
export interface Desktop {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Returns whether a browser would open on the screen of the user: not over SSH, and not without a display. */
export function hasScreen({ platform, env }: Desktop): boolean {
  if (env['SSH_CONNECTION'] !== undefined) return false
  return platform !== 'linux' || [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((display) => (display ?? '') !== '')
}

/** Returns the command that opens an address in the browser of the user. */
export function openCommand(platform: NodeJS.Platform, url: string): readonly [program: string, ...args: string[]] {
  if (platform === 'darwin') return ['open', url]
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', url] : ['xdg-open', url]
}

/** Opens an address in the browser of the user. Resolves to whether the command started. */
export function openBrowser(platform: NodeJS.Platform, url: string): Promise<boolean> {
  const [program, ...args] = openCommand(platform, url)
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
