/** Screens that most visits do without: a file of its own, which the page asks for when it has nothing else to do. */
export { LagLine } from '../parts/lag-line.tsx';
export { Access } from './access.tsx';
export { Bin } from './bin.tsx';
export { DeletedZoneScreen } from './deleted-zone.tsx';
export { Dnssec } from './dnssec.tsx';
export { Health } from './health.tsx';
export { Import } from './import.tsx';
export { Settings } from './settings.tsx';
