// Every command, in the order of the help.
import type { Command, CommandGroup } from '../command.js';
import { COMPLETION_COMMAND } from './completion-command.js';
import { CONFIG_COMMANDS } from './config-commands.js';
import { DOCTOR_COMMAND } from './doctor-command.js';
import { FLEET_COMMANDS } from './fleet-commands.js';
import { MEMORY_COMMANDS } from './memory-commands.js';
import { RUN_COMMANDS } from './run-commands.js';
import { SERVICE_COMMANDS } from './service-commands.js';
import { STORE_COMMANDS } from './store-commands.js';

export const ALL_COMMANDS: readonly (Command | CommandGroup)[] = [
  ...RUN_COMMANDS,
  ...FLEET_COMMANDS,
  MEMORY_COMMANDS,
  ...CONFIG_COMMANDS,
  DOCTOR_COMMAND,
  SERVICE_COMMANDS,
  STORE_COMMANDS,
  COMPLETION_COMMAND,
];
