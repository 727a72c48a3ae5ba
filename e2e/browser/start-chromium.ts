import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { unpackedWithDependencies } from '../cluster/debian-program.ts'

const INSTALLED = '/usr/bin/chromium'

/** Starts Debian's Chromium without a window: the installed one, or one unpacked into the cache directory. */
export async function startChromium(): Promise<Browser> {
  if (existsSync(INSTALLED)) return await chromium.launch({ executablePath: INSTALLED })
  const root = await unpackedWithDependencies('chromium')
  const libraries = globSync(join(root, 'usr/lib/*-linux-gnu{,/pulseaudio}'))
  return await chromium.launch({
    executablePath: join(root, 'usr/lib/chromium/chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') },
  })
}
