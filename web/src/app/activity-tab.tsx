// What the sandbox does and what it costs: graphs, and the programs that run in it.
import { useQuery } from "@tanstack/react-query";
import UsageGraphs from "@/features/activity/components/usage-graphs";
import ProcessesTab from "@/features/processes/components/processes-tab";
import { Notice } from "@/components/ui/notice";
import { sessionQuery } from "@/lib/session-query";

export default function ActivityTab({ session }: { session: string }) {
    // Asking what it uses does not wake it.
    const query = useQuery({ ...sessionQuery(session), refetchInterval: 1000 });
    return (
        <>
            {query.data && <UsageGraphs session={query.data} at={query.dataUpdatedAt} />}
            {query.data?.state_note && (
                <div className="px-4 pt-3">
                    <Notice kind="info" title={query.data.state_note} />
                </div>
            )}
            <ProcessesTab session={session} />
        </>
    );
}
