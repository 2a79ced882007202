/**
 * Many zone files at once. Each is checked before anything is made, and what came of each is said; then those that can
 * be are made, one after the other.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../counted.ts';
import { zoneNameOf } from '../file-name.ts';
import { checkNewZone, creationOf } from '../new-zone.ts';
import { isReachable } from '../reconnect.ts';
import { hrefOf } from '../router.ts';
import { apply, type Outcome, type Why, writeCount } from '../write.ts';
import { Table, type TableColumn } from './table.tsx';
import { visible } from './text.tsx';
import { noWhy, WhyFields, whyOf } from './why-fields.tsx';

/** Files that are listed one by one, those that something is wrong with first. */
const listed = 200;

interface FileReport {
  readonly file: File;
  /** '' where nothing says it. */
  readonly zone: string;
  readonly says: string;
  readonly state: 'ready' | 'wrong' | 'made';
  /** What its dry run said. */
  readonly outcome?: Outcome;
}

/** `taken`: names of zones of the files before it. */
async function checkFile(file: File, taken: ReadonlySet<string>): Promise<FileReport> {
  const text = await file.text();
  const zone = zoneNameOf(text, file.name);
  const wrong = (says: string): FileReport => ({ file, zone, says, state: 'wrong' });
  if (zone === '') return wrong('neither its text nor its name says which zone it is of');
  if (taken.has(zone)) return wrong('another file is of the same zone');
  const { existing, errors, refusal, outcome } = await checkNewZone({
    name: zone,
    text,
    server: '',
  });
  if (existing !== undefined) return wrong('the zone is there already');
  if (errors !== undefined) return wrong(`${counted(errors.length, 'error')}; ${errors[0]}`);
  if (outcome === undefined) return wrong(refusal?.message ?? 'not checked');
  const warnings = outcome.warnings?.length ?? 0;
  const records = counted(Number(outcome.summary?.added ?? 0), 'record');
  const says = warnings === 0 ? records : `${records}, ${counted(warnings, 'warning')}`;
  return { file, zone, says, state: 'ready', outcome };
}

async function make(report: FileReport, why: Why): Promise<FileReport> {
  const { file, zone, outcome = {} } = report;
  try {
    const write = creationOf({ name: zone, text: await file.text(), server: '' });
    await apply(write, { outcome, before: undefined, etag: undefined }, why);
    return { ...report, says: `created, ${report.says}`, state: 'made' };
  } catch (error) {
    return { ...report, says: (error as Error).message, state: 'wrong' };
  }
}

const columns: readonly TableColumn<FileReport>[] = [
  { label: 'File', cell: ({ file }) => visible(file.webkitRelativePath || file.name) },
  {
    label: 'Zone',
    cell: ({ zone, state }) =>
      state === 'made' ? (
        <a href={hrefOf(['zones', zone, 'records'])}>{visible(zone)}</a>
      ) : (
        visible(zone)
      ),
  },
  {
    label: 'What it has',
    cell: ({ says, state }) => (
      <span class={state === 'wrong' ? 'state bad' : ''}>{visible(says)}</span>
    ),
  },
];

interface ImportFilesProps {
  readonly files: readonly File[];
  /** Goes back to one file. */
  readonly close: () => void;
}

export function ImportFiles({ files, close }: ImportFilesProps) {
  const [reports, setReports] = useState<readonly FileReport[]>([]);
  const [isMaking, setMaking] = useState(false);
  const isGone = useRef(false);
  useEffect(() => {
    const check = async () => {
      const found: FileReport[] = [];
      const taken = new Set<string>();
      for (const file of files) {
        if (isGone.current) return;
        const report = await checkFile(file, taken);
        taken.add(report.zone);
        found.push(report);
        setReports([...found]);
      }
    };
    void check();
    return () => {
      isGone.current = true;
    };
  }, []);
  const makeAll = async (why: Why) => {
    setMaking(true);
    let all = reports;
    for (const report of reports) {
      if (isGone.current) break;
      if (report.state !== 'ready') continue;
      const made = await make(report, why);
      all = all.map((each) => (each === report ? made : each));
      setReports(all);
    }
    setMaking(false);
    writeCount.value++;
  };
  const isChecked = reports.length === files.length;
  const count = (state: FileReport['state']) =>
    reports.filter((report) => report.state === state).length;
  const ready = count('ready');
  return (
    <section aria-label="Files">
      <p role="status">
        {isChecked ? '' : `${reports.length} of ${counted(files.length, 'file')} checked: `}
        {summaryOf(ready, count('wrong'), count('made'))}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void makeAll(whyOf(event.currentTarget));
        }}
      >
        {isChecked && ready > 0 && <WhyFields said={noWhy} />}
        <p class="controls">
          {isChecked && ready > 0 && (
            <button type="submit" class="primary" disabled={isMaking || !isReachable.value}>
              Create {counted(ready, 'zone')}
            </button>
          )}
          <button type="button" onClick={close}>
            {isMaking ? 'Stop' : 'Back to one file'}
          </button>
        </p>
      </form>
      <Table
        caption="Files"
        columns={columns}
        items={shown(reports)}
        keyOf={({ file, zone }) => `${file.webkitRelativePath}${file.name} ${zone}`}
      />
      {reports.length > listed && (
        <p class="muted">… and {counted(reports.length - listed, 'file')} more.</p>
      )}
    </section>
  );
}

function summaryOf(ready: number, wrong: number, made: number): string {
  const parts = [
    made > 0 && `${counted(made, 'zone')} created`,
    ready > 0 && `${counted(ready, 'zone')} can be created`,
    wrong > 0 && `something is wrong with ${counted(wrong, 'file')}`,
  ];
  return `${parts.filter((part) => part !== false).join(', ')}.`;
}

function shown(reports: readonly FileReport[]): readonly FileReport[] {
  const wrong = reports.filter(({ state }) => state === 'wrong');
  const others = reports.filter(({ state }) => state !== 'wrong');
  return [...wrong, ...others].slice(0, listed);
}
