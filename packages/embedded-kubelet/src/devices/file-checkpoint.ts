import { DEVICE_MANAGER_CHECKPOINT_NAME } from '@berth/kubelet-api'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckpointStore } from './device-manager.ts'

/** Stores the device manager's checkpoint in a file in `dir`. Each write replaces the file atomically. */
export function createFileCheckpoint(dir: string): CheckpointStore {
  const path = join(dir, DEVICE_MANAGER_CHECKPOINT_NAME)
  return {
    read() {
      try {
        return readFileSync(path, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    write(text) {
      mkdirSync(dir, { recursive: true })
      writeFileSync(`${path}.tmp`, text)
      renameSync(`${path}.tmp`, path)
    },
  }
}
