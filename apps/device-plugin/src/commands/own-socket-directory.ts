import type { chmodSync, chownSync } from 'node:fs'

/** User and group that the chart runs the device plugin as. */
const PLUGIN_ID = 65_532

/** The calls of `node:fs` that change owner and mode. They need root. */
export interface OwnershipCalls {
  readonly chown: typeof chownSync
  readonly chmod: typeof chmodSync
}

/**
 * Gives the socket directory to the user of the device plugin, with mode 0700. Runs as root with CAP_CHOWN only, in an
 * init container.
 */
export function ownSocketDirectory(directory: string, { chown, chmod }: OwnershipCalls): void {
  // After a restart the directory belongs to the plugin's user already, and only the owner may change the mode.
  chown(directory, 0, 0)
  chmod(directory, 0o700)
  chown(directory, PLUGIN_ID, PLUGIN_ID)
}
